import { defineConfig } from "vitest/config";

/** Folders whose tests touch nothing outside them: their files may share a process, which saves loading everything anew for each. */
const PURE = [
  "comparison",
  "engine",
  "experiment",
  "figures",
  "gate",
  "governor",
  "plan",
  "policy",
  "report",
  "result",
  "stats",
];

/**
 * Tests of the HTTP/1.1 transport, which are run once more with undici as the client: on one runtime, to end within a bound.
 */
const HTTP1 = ["test/world/real/*.test.ts", "test/conformance/conformance.test.ts"];
const AGAIN = "Bun" in globalThis ? HTTP1 : [];

const pure = PURE.map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    // Threads fail on Deno, which has no parentPort.removeAllListeners; child processes work on all three runtimes.
    pool: "forks",
    // Tests with real sockets and processes must not starve each other.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      {
        extends: true,
        test: { name: "undici", include: AGAIN, env: { OVERLOAD_BENCH_TEST_TRANSPORT: "undici" } },
      },
      { extends: true, test: { name: "whole", include: ["test/**/*.test.ts"], exclude: ["test/bench/**", ...pure] } },
    ],
  },
});
