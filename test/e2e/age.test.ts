/** Clients with a past, in real runs: what they know when the first call comes, and what is kept of it. Bounds are coarse. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TrialResult } from "../../src/result/schema.ts";
import { Workplace } from "../support/run-cli.ts";
import { httpServer, type TestServer } from "../support/servers.ts";

let workplace: Workplace;
let refusing: TestServer;

beforeEach(async () => {
  workplace = await Workplace.open();
  refusing = await httpServer((_request, response) => {
    response.statusCode = 503;
    response.end();
  });
});

afterEach(async () => {
  await refusing.close();
  await workplace.close();
});

/** Half of the window of W = 20 s passes before clients with a past reject anything. */
function flags(...more: readonly string[]): string[] {
  const policy = ["--policy", "sre,window=20,maxAttempts=1", "--rps", "100", "--vus", "4", "--pacing", "timer"];
  return ["--url", refusing.url, "--no-stats", "--no-sentinel", "--quiet", ...policy, ...more];
}

async function trialOf(args: readonly string[]): Promise<TrialResult> {
  const { exitCode, stderr } = await workplace.run(args);
  expect([0, 4], stderr).toContain(exitCode);
  const [result] = Object.values(await workplace.results());
  return result?.trials[0] as TrialResult;
}

const throttledShare = ({ calls }: TrialResult): number => calls.throttled / calls.planned;

describe("--age", () => {
  it("gives clients the windows of a past that nobody waited for, in each worker its own users'", async () => {
    const started = performance.now();
    const trial = await trialOf(flags("--duration", "3s", "--workers", "2", "--age", "60s"));
    expect((performance.now() - started) / 1000).toBeLessThan(45);
    expect(throttledShare(trial)).toBeLessThan(0.05);
    // Both workers', of all users: mean 6,000, standard deviation 77.
    expect(trial.age).toMatchObject({ seconds: 60 });
    expect(Math.abs((trial.age?.calls ?? 0) - 6000)).toBeLessThan(400);
  }, 60_000);

  it("is what makes the difference: cold clients reject their own calls from the second one on", async () => {
    const trial = await trialOf(flags("--duration", "3s"));
    expect(throttledShare(trial)).toBeGreaterThan(0.4);
    expect(trial).not.toHaveProperty("age");
  }, 60_000);

  it("stands in a trial that was put together from its journal", async () => {
    const running = workplace.start(flags("--duration", "60s", "--age", "60s"));
    const journal = async (): Promise<string> => {
      const folder = join(workplace.path, "results");
      const name = (await readdir(folder).catch(() => [])).find((file) => file.endsWith(".journal.jsonl"));
      return name === undefined ? "" : await readFile(join(folder, name), "utf8");
    };
    await expect
      .poll(async () => (await journal()).split('{"kind":"second"').length, { timeout: 30_000, interval: 100 })
      .toBeGreaterThan(2);
    if (running.child.pid !== undefined) process.kill(running.child.pid, "SIGKILL");
    await running.ended;
    const trial = await trialOf(["recover"]);
    expect(trial.recovered).toBe(true);
    expect(trial.age?.seconds).toBe(60);
    expect(trial.age?.calls).toBeGreaterThan(5000);
  }, 60_000);
});
