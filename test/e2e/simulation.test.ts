/** Simulations as a user meets them: the program, its threads, signals, files. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../src/result/schema.ts";
import { type Running, Workplace } from "../support/run-cli.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

let workplace: Workplace;
const started: Running[] = [];

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  for (const running of started.splice(0)) {
    signal(running, "SIGKILL");
    await running.ended;
  }
  await workplace.close();
});

function start(args: readonly string[]): Running {
  const running = workplace.start(args);
  started.push(running);
  return running;
}

/** By process id: Deno reports a child that was told through its handle as killed, whatever its exit code. */
function signal({ child }: Running, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(child.pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** Trials that have ended, as the journal tells. */
async function endedInJournal(): Promise<number> {
  const folder = join(workplace.path, "results");
  const names = await readdir(folder).catch(() => []);
  const journal = names.find((name) => name.endsWith(".journal.jsonl"));
  if (journal === undefined) return 0;
  return (await readFile(join(folder, journal), "utf8")).split('{"kind":"ended"').length - 1;
}

/** Hundreds of millions of calls a trial: nobody waits for the end of that. */
const ENDLESS = ["ab", "--sim", "shed:capacity=100000,rejectCost=0.3", "--rps", "1000000", "--duration", "10m"];

function timeless({ config, trials, invocation, ...result }: Result): unknown {
  const { workers: _, ...rest } = config;
  const { workers: __, ...flags } = invocation?.flags ?? {};
  return { ...result, config: rest, flags, trials: trials.map((trial) => ({ ...trial, startedAt: "" })) };
}

describe.runIf(IS_THOROUGH)("overload-bench --sim", () => {
  it("gives the same document for any number of trials at a time, but for times and that number", async () => {
    const args = ["ab", "--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "400", "-d", "5s", "--window", "2s"];
    const more = ["--repeats", "2", "--script", "1s..2s:outage", "--json"];
    const documents: Result[] = [];
    for (const workers of ["1", "2", "3"]) {
      const { stdout, exitCode } = await workplace.run([...args, ...more, "--workers", workers]);
      expect(exitCode).toBe(0);
      documents.push(JSON.parse(stdout) as Result);
    }
    expect(documents.map(({ config }) => config.workers)).toEqual([1, 2, 3]);
    const [first, ...others] = documents.map(timeless);
    for (const other of others) expect(other).toEqual(first);
  }, 60_000);

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "ends in order at %s: the trials under way as far as they came, the others absent",
    async (name, code) => {
      const running = start([...ENDLESS, "--workers", "2"]);
      await running.said(" of 6 trials");
      signal(running, name);
      const { exitCode, stdout, stderr } = await running.ended;
      expect(exitCode).toBe(code);
      expect(stderr).toContain("Stopping");
      expect(stdout).toContain("PARTIAL");
      const [result] = Object.values(await workplace.results());
      expect(result?.partial).toBe(true);
      expect(result?.trials.map(({ arm, pair, interrupted }) => [arm, pair, interrupted])).toEqual([
        ["off", 0, true],
        ["on", 0, true],
      ]);
      for (const { calls, durationSeconds } of result?.trials ?? []) {
        const { planned, ...outcomes } = calls;
        expect(planned).toBeGreaterThan(0);
        expect(durationSeconds).toBeLessThan(600);
        expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(planned);
      }
    },
  );

  it("ends at once at the second signal, without a result", async () => {
    const running = start([...ENDLESS, "--workers", "2", "--drain", "1h", "--timeout", "1h"]);
    await running.said(" of 6 trials");
    signal(running, "SIGINT");
    signal(running, "SIGTERM");
    const { exitCode } = await running.ended;
    expect([130, 143]).toContain(exitCode);
  });

  it("leaves a journal when it is killed, from which the trials that had ended come back in their order", async () => {
    const many = ["ab", "--sim", "shed:capacity=1000", "--rps", "5000", "-d", "20s", "--repeats", "2000"];
    const running = start([...many, "--workers", "2"]);
    await expect.poll(endedInJournal, { timeout: 25_000, interval: 50 }).toBeGreaterThanOrEqual(4);
    signal(running, "SIGKILL");
    await running.ended;
    const { exitCode, stderr } = await workplace.run(["recover"]);
    expect(exitCode, stderr).toBe(0);
    const recovered = Object.entries(await workplace.results()).find(([file]) => !file.includes("partial"))?.[1];
    const trials = recovered?.trials ?? [];
    expect(recovered?.partial).toBe(true);
    expect(trials.length).toBeGreaterThanOrEqual(4);
    const pairs = trials.map(({ pair }) => pair);
    expect(pairs).toEqual(pairs.toSorted((a, b) => a - b));
    expect(trials.every(({ interrupted, recovered: cut }) => !interrupted && cut === undefined)).toBe(true);
  });
});
