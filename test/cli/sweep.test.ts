import { describe, expect, it } from "vitest";
import type { Services } from "../../src/cli/services.ts";
import { concludeSweep } from "../../src/cli/session/sweep-conclusion.ts";
import { displayWidth } from "../../src/report/display-width.ts";
import { resultSchema } from "../../src/result/schema.ts";
import { startTrials } from "../../src/world/trial-pool.ts";
import { thisThread } from "../../src/world/trial-thread.ts";
import { runFake } from "../support/fake-host.ts";

const SIM = ["sweep", "--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "500", "--window", "5s"];
const SHORT = ["--duration", "5s", "--warmup", "5s", "--repeats", "1", "--no-recovery"];

/** The arms of a sweep, in the order of its cells. */
async function cellsOf(args: readonly string[]) {
  const { saved, stderr } = await runFake([...args, ...SHORT]);
  const sweep = saved.at(-1)?.result.sweep;
  return { cells: sweep?.cells ?? [], axes: sweep?.axes ?? [], stderr };
}

describe("sweep", () => {
  it("saves its trials with its layout while it runs, and what follows from them in the end or when it is asked", async () => {
    const args = ["sweep", "--sim", "shed:capacity=100", "--rps", "200", "-d", "1s", "--warmup", "0", "--k", "1.5,2"];
    const { saved } = await runFake([...args, "--repeats", "2", "--no-recovery", "--workers", "1"]);
    const soFar = saved.at(-2)?.result;
    expect(soFar?.trials.length).toBeGreaterThan(1);
    expect(soFar).toMatchObject({ partial: true, sweep: { cells: [{}, {}], recommendations: [] } });
    expect(soFar?.comparison).toBeUndefined();
    expect(saved.at(-1)?.result).toMatchObject({ comparison: { contrasts: [{}] }, sweep: { recommendations: [{}] } });
    const report = ["report", "p.json", "--format", "md"];
    const { stdout, stderr } = await runFake(report, { files: { "p.json": JSON.stringify(soFar) } });
    expect(stdout, stderr).toContain(saved.at(-1)?.result.sweep?.recommendations[0]?.arm);
  });

  it("runs each K once a pair, on the same arrivals, in a balanced order", async () => {
    const { specs, saved, exitCode } = await runFake([...SIM, "--k", "1.1,2", "--duration", "5s", "--no-recovery"]);
    expect(exitCode).toBe(0);
    expect(specs).toHaveLength(6);
    expect(specs.map(({ arm }) => arm).slice(0, 2)).toEqual(
      specs
        .map(({ arm }) => arm)
        .slice(2, 4)
        .toReversed(),
    );
    const trials = saved.at(-1)?.result.trials ?? [];
    for (const pair of [0, 1, 2]) {
      expect(new Set(trials.filter((trial) => trial.pair === pair).map(({ plan }) => plan.hash)).size).toBe(1);
    }
  });

  it("names cells by what varies, as the flags write it", async () => {
    const { cells, axes } = await cellsOf([...SIM, "--k", "1.1,2", "--timeout", "200ms,1s"]);
    expect(cells.map(({ arm }) => arm)).toEqual([
      "k=1.1 timeout=200ms",
      "k=1.1 timeout=1s",
      "k=2 timeout=200ms",
      "k=2 timeout=1s",
    ]);
    expect(axes.map(({ name, of }) => [name, of])).toEqual([
      ["k", "policy"],
      ["timeout", "policy"],
    ]);
  });

  it("gives a policy without an option one cell, and says so", async () => {
    const { cells, stderr } = await cellsOf([...SIM, "--policy", "sre,retry", "--k", "1.1,2"]);
    expect(cells.map(({ arm }) => arm)).toEqual(["sre k=1.1", "sre k=2", "retry"]);
    expect(cells.map(({ k }) => k)).toEqual([1.1, 2, undefined]);
    expect(stderr).toContain("retry has no option k: it has one cell");
  });

  it("leaves a policy what it was given where it was named", async () => {
    const { cells, stderr } = await cellsOf([...SIM, "--policy", "sre,k=5,sre", "--k", "1.1,2"]);
    expect(cells.map(({ arm, k }) => [arm, k])).toEqual([
      ["sre,k=5", 5],
      ["sre k=1.1", 1.1],
      ["sre k=2", 2],
    ]);
    expect(stderr).toContain("sre,k=5 keeps the k that it was given");
  });

  it("varies the load, with arrivals of their own, and any option of a policy", async () => {
    const args = [
      "sweep",
      "--sim",
      "shed:capacity=100",
      "--rps",
      "200..400/2",
      "--vary",
      "maxAttempts=1,3",
      "--policy",
      "retry",
    ];
    const { saved, specs } = await runFake([...args, ...SHORT]);
    expect(specs.map(({ arm }) => arm).toSorted()).toEqual([
      "maxAttempts=1 rps=200",
      "maxAttempts=1 rps=400",
      "maxAttempts=3 rps=200",
      "maxAttempts=3 rps=400",
    ]);
    for (const { arm, policy, plan } of specs) {
      expect(plan.arrival).toMatchObject({ rate: { rps: arm.endsWith("200") ? 200 : 400 } });
      expect(policy.options.maxAttempts).toBe(arm.startsWith("maxAttempts=1") ? 1 : 3);
    }
    const { sweep } = saved.at(-1)?.result ?? {};
    expect(sweep?.recommendations.map(({ load }) => load)).toEqual([{ rps: "200" }, { rps: "400" }]);
    expect(sweep?.overall?.sentence).toBeDefined();
  });

  it("is about K of sre at twice the built-in target's capacity when nothing is said", async () => {
    const { specs, saved } = await runFake(["sweep", "--no-recovery", "--duration", "1s", "--repeats", "1"]);
    expect(saved.at(-1)?.result.sweep?.axes).toEqual([{ name: "k", of: "policy", values: ["1.1", "1.5", "2", "3"] }]);
    expect(specs[0]).toMatchObject({
      policy: { name: "sre", options: { window: 3 } },
      plan: { warmupSeconds: 5, users: 50, arrival: { rate: { rps: 400 } } },
    });
  });

  it.each([
    [["--k", "2"], "A sweep needs a list of something"],
    [["--k", "0.5..1.5/3"], "--k 0.5: Cannot use policy 'sre' as 'k' must be"],
    [
      ["--vary", "maxAttempts=1,01"],
      "Cells 'k=1.1 maxAttempts=1' and 'k=1.1 maxAttempts=01' are the same: name it once",
    ],
    [["--policy", "sre,sre,k=2"], "Cells 'sre' and 'sre,k=2' are the same: name it once"],
    [["--policy", "retry,none", "--k", "1,2"], "--k: None of the policies has an option 'k' to vary"],
    [["--policy", "retry", "--vary", "kk=1,2"], "--vary kk: Policy 'retry' has no option 'kk' to vary"],
    [["--vary", "k=1,2"], "--vary k is written --k"],
    [["--k", "1..2/150", "--timeout", "1s,2s"], "A sweep has at most 200 cells, and this one 300"],
    [["--k", "1..2"], "--k must say how many values a range has"],
    [["--k", "0.5,2"], "'k' must be"],
    [["--limit", "nonsense<=1"], "--limit "],
    [["--vary", "maxAttempts"], "--vary must be an option and its values"],
  ])("refuses %j", async (args, message) => {
    const { exitCode, stderr, specs } = await runFake(["sweep", "--sim", "shed:capacity=100", "--rps", "500", ...args]);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(specs).toEqual([]);
  });

  it("recommends within the limits, and the same from the file alone", async () => {
    const { saved, stdout } = await runFake([...SIM, "--k", "1.1,1.5,3", "--limit", "waste<=0.5", ...SHORT]);
    const result = saved.at(-1)?.result;
    if (result?.sweep === undefined) throw new Error("There is no sweep");
    expect(() => resultSchema.parse(result)).not.toThrow();
    const [only] = result.sweep.recommendations;
    expect(only?.arm).not.toBeNull();
    expect(only?.excluded.map(({ arm }) => arm)).toEqual(["k=3"]);
    expect(result.sweep.closedForm).toMatchObject({ capacity: 100, rejectCost: 0.3 });
    expect(stdout).toContain("Ship sre with K = 1.");
    const stripped = { ...result, sweep: { ...result.sweep, recommendations: [] } };
    expect(concludeSweep(JSON.parse(JSON.stringify(stripped)))).toEqual(result);
  });

  it("has its layout in what is saved on the way, and keeps what was measured when it is interrupted", async () => {
    let trials = 0;
    const { saved, exitCode } = await runFake([...SIM, "--k", "1.1,1.5,3", "--duration", "5s"], {
      onTrial(_spec, send) {
        trials += 1;
        if (trials === 4) send("SIGINT");
      },
    });
    expect(exitCode).toBe(130);
    for (const { result } of saved) expect(result.sweep?.cells).toHaveLength(3);
    expect(saved.at(-1)?.result).toMatchObject({ partial: true });
    expect(saved.at(-1)?.result.sweep?.recovery).toBeUndefined();
    expect(saved.at(-1)?.result.sweep?.recommendations).toHaveLength(1);
  });

  it("simulates how long each arm takes to come back, and labels it", async () => {
    const { saved, stdout, specs } = await runFake([...SIM, "--k", "1.5,3", "--duration", "5s", "--repeats", "1"]);
    const sweep = saved.at(-1)?.result.sweep;
    expect(specs.filter(({ world }) => world.kind === "virtual" && world.script !== undefined)).toHaveLength(6);
    expect(sweep?.recovery?.map(({ arm }) => arm)).toEqual(["k=1.5", "k=3"]);
    const [slow, fast] = sweep?.recovery ?? [];
    expect(slow?.seconds).toBeGreaterThan(fast?.seconds as number);
    expect(stdout).toContain("Simulated, not measured");
    expect(saved.at(-1)?.result.trials).toHaveLength(2);
  });

  it("says that it will, unless it was told not to", async () => {
    const dry = async (...more: readonly string[]): Promise<string> =>
      (await runFake([...SIM, "--k", "1.5,3", "--dry-run", ...more])).stdout;
    expect(await dry()).toContain("Then the recovery of each arm is simulated");
    expect(await dry("--no-recovery")).not.toContain("Then the recovery");
  });

  it("delivers what was measured before it says what went wrong with that simulation", async () => {
    const failing: Services["startTrials"] = (specs, options) => {
      const isRecovery = specs.some(({ world }) => world.kind === "virtual" && world.script !== undefined);
      if (isRecovery) throw new TypeError("a bug of ours");
      return startTrials(specs, options, thisThread);
    };
    const args = [...SIM, "--k", "1.5,3", "--duration", "5s", "--repeats", "1", "--report", "a.md"];
    const { exitCode, saved, stdout, stderr, reports } = await runFake(args, { services: { startTrials: failing } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("a bug of ours");
    expect(saved.at(-1)).toMatchObject({ final: true, result: { sweep: { recommendations: [{ arm: "k=1.5" }] } } });
    expect(saved.at(-1)?.result.trials).toHaveLength(2);
    expect(stdout).toContain("Result: results/fake.json");
    expect([...reports.keys()]).toEqual(["a.md"]);
  });

  it("keeps its lines within 100 columns, whatever varies", async () => {
    const { stdout } = await runFake([
      ...SIM,
      ...["--policy", "sre,envoy-admission-control,aws-adaptive", "--k", "1.1,2", "--vus", "10,20"],
      ...["--limit", "waste<=0.2", "--limit", "response.ok.p99Ms<=250", ...SHORT],
    ]);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  });

  it("shows with --dry-run which cells would run in which order and for how long, and starts nothing", async () => {
    const { stdout, events, saved, exitCode } = await runFake([
      "sweep",
      "--policy",
      "sre,retry",
      "--k",
      "1.1,2",
      "--dry-run",
    ]);
    expect(exitCode).toBe(0);
    expect(events).toEqual([]);
    expect(saved).toEqual([]);
    expect(stdout).toContain("Plan: 9 trials: 3 arms in 3 pairs");
    expect(stdout).toContain("2 min 15 s at least");
    expect(stdout).toContain("retry has no option k");
  });
});
