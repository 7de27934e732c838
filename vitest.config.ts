import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**"],
    // Threads fail on Deno, which has no parentPort.removeAllListeners; child processes work on all three runtimes.
    pool: "forks",
    // Tests with real sockets and processes must not starve each other.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
