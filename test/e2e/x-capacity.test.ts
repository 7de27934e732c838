/** `--rps 2x-capacity` by the real program. Bounds are coarse: what the target takes here is not the question. */

import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../src/result/schema.ts";
import { Workplace } from "../support/run-cli.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

/** Its ceiling ends the search in some seconds, whatever else this machine does. */
const SEARCH = ["--governor", "start=10,window=500ms,hold=4,high=30%", "--max-rps", "20"];
const RUN = ["run", "--policy", "none", "-d", "2s", "--no-sentinel", ...SEARCH];

let workplace: Workplace;

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  await workplace.close();
});

/** The only result. */
async function result(): Promise<Result> {
  const results = Object.values(await workplace.results());
  expect(results).toHaveLength(1);
  return results[0] as Result;
}

describe.runIf(IS_THOROUGH)("--rps 2x-capacity", () => {
  it("finds the capacity of a model, and simulates twice that", async () => {
    const { exitCode, stdout, stderr } = await workplace.start([
      "--sim",
      "shed:capacity=400",
      "--rps",
      "2x-capacity",
      "-d",
      "2s",
    ]).ended;
    expect(exitCode, stderr).toBe(0);
    expect(stdout.replaceAll("\n", " ")).toContain(", 2 x the capacity of 400/s (found first, at most 5.0 % failed)");
    const { capacity, plan } = await result();
    expect(plan.rps / (capacity?.goodput ?? 0)).toBeCloseTo(2, 2);
  });

  it("finds it of the built-in target, lets that go idle, and loads it in the same session", {
    timeout: 90_000,
  }, async () => {
    const running = workplace.start([...RUN, "--rps", "0.5x-capacity"]);
    const { exitCode, stderr } = await running.ended;
    const { capacity, capacityTrials = [], trials, design } = await result();
    // On a machine that is busy with other things a trial may be invalid.
    expect([0, 4], stderr).toContain(exitCode);
    expect(stderr).toMatch(/climbing, rate 10 -> 20/u);
    expect(capacityTrials.map(({ world, governor }) => [world, governor?.ended])).toEqual([["real", "held"]]);
    expect(capacity?.goodput).toBeGreaterThan(10);
    expect(capacity?.goodput).toBeLessThan(30);
    if (exitCode === 4 && trials.length === 0) return;
    expect((trials[0]?.plan.rps ?? 0) / (capacity?.goodput ?? 0)).toBeCloseTo(0.5, 2);
    expect(trials[0]?.target?.accepted).toBeLessThan(40);
    expect(design.idle).toBeDefined();
  });

  it("writes what it has found when it is interrupted in the search", { timeout: 90_000 }, async () => {
    const running = workplace.start([...RUN, "--rps", "2x-capacity"]);
    await running.said("climbing");
    process.kill(running.child.pid as number, "SIGINT");
    const { exitCode, stderr } = await running.ended;
    expect(exitCode, stderr).toBe(130);
    const { partial, trials, capacityTrials } = await result();
    expect([partial, trials, capacityTrials?.[0]?.interrupted]).toEqual([true, [], true]);
    expect(capacityTrials?.[0]?.governor?.windows.length).toBeGreaterThan(0);
  });

  it("leaves the search in its journal when it is killed, for recover", { timeout: 90_000 }, async () => {
    const running = workplace.start([...RUN, "--rps", "0.5x-capacity"]);
    await running.said("climbing");
    process.kill(running.child.pid as number, "SIGKILL");
    await running.ended;
    const { exitCode, stdout, stderr } = await workplace.start(["recover"]).ended;
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain("PARTIAL: the load itself, 0.5x-capacity, was not sent");
    const { partial, trials, capacityTrials } = await result();
    expect([partial, trials.length]).toEqual([true, 0]);
    expect(capacityTrials).toMatchObject([{ arm: "capacity", interrupted: true, recovered: true }]);
    const [name = ""] = Object.keys(await workplace.results());
    const again = await workplace.run(["run", "--resume", join("results", name)]);
    expect([0, 4], again.stderr).toContain(again.exitCode);
    expect(again.stderr).toContain("Finding the capacity");
  });
});
