import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/** What this process really is, told by what only the runtime itself provides. */
function actualRuntime(): "bun" | "deno" | "node" {
  if (process.versions.bun !== undefined) {
    return "bun";
  }
  return "Deno" in globalThis ? "deno" : "node";
}

describe("the runtime under test", () => {
  test("is the one that the suite asked for", () => {
    expect(actualRuntime()).toBe(process.env.OVERLOAD_BENCH_TEST_RUNTIME ?? actualRuntime());
  });

  test("finds a working dispatch under undici/index.js by its own resolution", () => {
    const program = fileURLToPath(new URL("dispatch-once.mjs", import.meta.url));
    const args = actualRuntime() === "deno" ? ["run", "-A", program] : [program];
    const run = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 });
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toEqual({ runtime: actualRuntime(), status: 503 });
  });
});
