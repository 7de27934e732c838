import { describe, expect, it } from "vitest";
import { judgeReproduction } from "../../src/cli/commands/reproduce/reproduce-verdict.ts";
import { renderReproduction } from "../../src/report/reproduction-text.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { type FakeRunOutcome, type FakeSetup, runFake } from "../support/fake-host.ts";
import { capacityCase } from "../support/governed-cases.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const AB = ["ab", "--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "300", "--duration", "2s", "--repeats", "2"];

async function recorded(args: readonly string[], setup: FakeSetup = {}): Promise<Result> {
  const { saved, stderr } = await runFake(args, setup);
  const last = saved.at(-1);
  expect(last?.final, stderr).toBe(true);
  // As it comes back from its file.
  return JSON.parse(JSON.stringify(last?.result)) as Result;
}

function reproduce(result: unknown, args: readonly string[] = [], setup: FakeSetup = {}): Promise<FakeRunOutcome> {
  return runFake(["reproduce", "old.json", ...args], {
    ...setup,
    files: { "old.json": JSON.stringify(result), ...setup.files },
  });
}

/** What sends the repetition, and what its record says was asked for. Nothing is "not as it was". */
async function transportsOf(result: Result): Promise<readonly unknown[]> {
  const { specs, saved, stderr } = await reproduce(result);
  expect(stderr).not.toContain("transport:");
  const { transport } = (specs[0]?.world ?? {}) as { readonly transport?: unknown };
  return [transport, saved.at(-1)?.result.invocation];
}

describe("reproduce", () => {
  it("runs a simulated ab again from its file alone, and finds it identical to the bit", async () => {
    const result = await recorded([...AB, "--policy", "sre,k=1.5", "--seed", "7", "--chance", "own"]);
    const env = { OVERLOAD_BENCH_SEED: "99", OVERLOAD_BENCH_CONFIG: "missing", OVERLOAD_BENCH_URL: "http://h/" };
    const { exitCode, stdout, stderr, saved, specs } = await reproduce(result, [], { env });
    expect(stdout, stderr).toBe("Identical: 4 trials, the same to the bit.\nResult: results/fake.json\n");
    expect(stderr).toContain("Again: overload-bench ab --sim shed:capacity=100,rejectCost=0.3 --rps 300");
    expect(exitCode).toBe(0);
    expect(specs).toHaveLength(4);
    expect(saved.at(-1)?.result.invocation).toEqual(result.invocation);
  });

  it("does so for a sweep, with what it recommends", async () => {
    const sweep = ["sweep", ...AB.slice(1, -2), "--k", "1.5,2", "--repeats", "1", "--no-recovery", "--warmup", "0"];
    const result = await recorded(sweep);
    expect(result.sweep?.recommendations).toHaveLength(1);
    expect((await reproduce(result)).stdout).toContain("Identical: 2 trials, the same to the bit.");
    const other = { ...result, sweep: { ...result.sweep, limits: ["goodput>1"] } };
    expect((await reproduce(other)).stdout).toContain("sweep.limits[0]");
  });

  it("sends by the client of the record; one that names none was sent by undici", async () => {
    const flags = ["--url", "http://127.0.0.1:1/", "--rps", "100", "-d", "1s"];
    for (const transport of ["wire", "undici"] as const) {
      const given = await recorded([...flags, "--transport", transport]);
      expect(await transportsOf(given)).toEqual([transport, given.invocation]);
      // As if it had been recorded when that was the default.
      const { flags: said, ...invocation } = given.invocation as NonNullable<Result["invocation"]>;
      const { transport: _, ...unsaid } = said;
      const byDefault = { ...given, invocation: { ...invocation, flags: unsaid } };
      expect(await transportsOf(byDefault)).toEqual([transport, byDefault.invocation]);
      const { world } = given.config as { world: { transport: string } };
      const { transport: __, ...older } = world;
      const old = { ...byDefault, config: { ...given.config, world: older } };
      expect(await transportsOf(old)).toEqual(["undici", byDefault.invocation]);
    }
  });

  it("refuses a record without a complete trial before anything is run", async () => {
    const result = await recorded(AB);
    const trials = result.trials.map((trial) => ({ ...trial, interrupted: true }));
    const { exitCode, stderr, specs } = await reproduce({ ...result, partial: true, trials });
    expect([exitCode, specs.length]).toEqual([2, 0]);
    expect(stderr).toContain("Cannot reproduce 'old.json' as it has no complete trial");
  });

  it("lists the fields that differ, first ones first, with exit code 3", async () => {
    const result = await recorded(AB);
    const [first] = result.trials as [TrialResult];
    const changed = { ...first, calls: { ...first.calls, ok: first.calls.ok + 1 }, waste: 0.5 };
    const { exitCode, stdout } = await reproduce({ ...result, trials: [changed, ...result.trials.slice(1)] });
    expect(stdout).toMatch(
      /^Not reproduced: 2 fields of 4 trials differ, and a simulation leaves nothing to chance\.\n/u,
    );
    expect(stdout).toMatch(
      new RegExp(`trials\\[${first.arm}, pair 1\\]\\.calls\\.ok +${first.calls.ok + 1} +${first.calls.ok}\n`, "u"),
    );
    expect(stdout).toMatch(/trials\[\w+, pair 1\]\.waste +0\.5 +0\.\d+/u);
    expect(exitCode).toBe(3);
  });

  it("takes a partial result, runs the whole experiment, and compares the trials that there are", async () => {
    const result = await recorded(AB);
    const partial = { ...result, partial: true, trials: result.trials.slice(0, 1), comparison: undefined };
    const { stdout, specs } = await reproduce(partial);
    expect(stdout).toContain("Identical: 1 of 4 trials, the same to the bit.");
    expect(specs).toHaveLength(4);
  });

  it("tells before it begins, and at the end, what is not as it was", async () => {
    const result = await recorded(["--sim", "shed:capacity=100", "--rps", "50", "-d", "1s"]);
    const old = {
      ...result,
      tool: { ...result.tool, version: "0.0.1" },
      environment: { ...result.environment, runtime: "bun", runtimeVersion: "1.0.0", cpus: 64 },
    };
    const { stdout, stderr, exitCode } = await reproduce(old);
    for (const text of [stdout, stderr]) {
      expect(text).toContain("overload-bench 0.0.1, now 0.0.0-test");
      expect(text).toContain("runtime bun 1.0.0, now node 20.18.1");
      expect(text).toContain("machine linux x64, 64 x test, now linux x64, 2 x test");
    }
    expect(exitCode).toBe(0);
    expect((await reproduce(result)).stdout).not.toContain("Not as it was");
  });

  it("tells that the file of the body, or that of the arrivals, is another one", async () => {
    const url = ["--url", "http://h/", "-d", "1s", "--replay", "r", "--body-file", "b"];
    const files = { r: "0\n0.1\n0.3\n0.5\n", b: "one" };
    const result = await recorded(url, { files });
    expect((await reproduce(result, [], { files })).stdout).not.toContain("Not as it was");
    const { stdout } = await reproduce(result, [], { files: { r: "0\n0.2\n0.3\n0.5\n", b: "two" } });
    expect(stdout).toContain("the body is another one");
    expect(stdout).toContain("the plan: other arrivals");
  });

  it("asks for secrets again, and takes what stands in for the record's own", async () => {
    const secret = ["--url", "http://me:hunter2@h/", "-H", "Cookie: hunter2", "-H", "A: b", "--rps", "50", "-d", "1s"];
    const result = await recorded(secret);
    expect(JSON.stringify(result)).not.toContain("hunter2");
    const refused = await reproduce(result, ["--url", "http://me:pw@h/"]);
    expect(refused.stderr).toContain("overload-bench: old.json keeps no secrets: give again -H 'Cookie: ...'\n");
    expect(refused).toMatchObject({ exitCode: 2, specs: [] });
    const { specs, stdout } = await reproduce(result, ["--url", "http://me:pw@h/", "-H", "cookie: c", "-q"]);
    expect(specs[0]?.world).toMatchObject({
      url: "http://me:pw@h/",
      headers: [
        ["A", "b"],
        ["cookie", "c"],
      ],
    });
    expect(stdout).not.toContain("pw");
    const fromVariable = await reproduce(result, ["-H", "cookie: c"], {
      env: { OVERLOAD_BENCH_URL: "http://me:v@h/" },
    });
    expect(fromVariable.specs[0]?.world).toMatchObject({ url: "http://me:v@h/" });
  });

  it("is data with --json, and nothing else on stdout", async () => {
    const { stdout, stderr } = await reproduce(await recorded(AB), ["--json"]);
    expect(JSON.parse(stdout)).toEqual({
      verdict: "identical",
      sentence: "Identical: 4 trials, the same to the bit.",
      differences: [],
      contrasts: [],
      setting: [],
      recorded: "old.json",
      result: "results/fake.json",
    });
    expect(stderr).toContain("Result: results/fake.json");
  });

  it("ends with the code of an interruption, and judges nothing then", async () => {
    const result = await recorded(AB);
    const { exitCode, stdout } = await reproduce(result, [], {
      onTrial: ({ arm, pair }, send) => {
        if (arm === "on" && pair === 0) send("SIGINT");
      },
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
  });

  it.each<[why: string, change: (result: Result) => unknown, args: string[], message: string]>([
    [
      "no invocation",
      ({ invocation: _, ...rest }) => rest,
      [],
      "Cannot reproduce 'old.json' as overload-bench 0.0.0-test did not yet record the flags",
    ],
    ["no result", () => ({ a: 1 }), [], "Cannot read 'old.json' as it is no result"],
    [
      "a URL for a simulation",
      (result) => result,
      ["--url", "http://h/"],
      "--url is in place of what 'old.json' says, which is nothing: it had no --url",
    ],
    [
      "an unknown command",
      (result) => ({ ...result, invocation: { command: "attack", flags: {}, redacted: [] } }),
      [],
      "this version of overload-bench has no 'attack'",
    ],
    [
      "an unknown flag",
      (result) => ({ ...result, invocation: { command: "run", flags: { warp: "9" }, redacted: [] } }),
      [],
      "old.json: 'run' has no flag --warp",
    ],
    [
      "a bad value",
      (result) => ({ ...result, invocation: { command: "run", flags: { rps: "fast" }, redacted: [] } }),
      [],
      "old.json: 'rps' must be a positive rate",
    ],
    ["a wrong flag", (result) => result, ["--rps", "5"], "unknown option '--rps'"],
  ])("refuses %s: one line, exit code 2", async (_why, change, args, message) => {
    const result = await recorded(["--sim", "shed:capacity=100", "--rps", "50", "-d", "1s"]);
    const { exitCode, stderr, stdout, specs } = await reproduce(change(result), ["-q", ...args]);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect({ exitCode, stdout, specs }).toEqual({ exitCode: 2, stdout: "", specs: [] });
  });

  it("refuses a file that is not there, and to be told none", async () => {
    expect((await runFake(["reproduce", "gone.json"])).stderr).toContain('current value is "gone.json" (ENOENT)');
    expect((await runFake(["reproduce"])).stderr).toContain("missing required argument 'file'");
  });
});

/** Real trials of one arm in which so many calls were ok. */
function real(ok: readonly number[], arm = "on"): Result {
  return resultFixture(
    ok.map((count, pair) => trialFixture({ arm, pair, calls: { ok: count, failed: 10_000 - count } })),
  );
}

/** A real search that found so much. @param ok calls while it climbed. */
function searched(
  goodput: number,
  between?: readonly [low: number, high: number],
  ok = 500,
  more: Partial<NonNullable<Result["capacity"]>> = {},
): Result {
  const [low, high] = between ?? [0, 0];
  const figures = { confidence: 0.95, windows: 12, effectiveWindows: 6 };
  const capacity = {
    ...capacityCase().capacity,
    held: true,
    saturated: false,
    goodput,
    interval: between === undefined ? null : { low, high, ...figures },
    ...more,
  } as NonNullable<Result["capacity"]>;
  return { ...real([ok]), command: "capacity", capacity };
}

const EIGHT = [5000, 5020, 4990, 5010, 5030, 4980, 5000, 5015];

describe("judgeReproduction() of real load", () => {
  it("is reproduced when nothing differs beyond chance", () => {
    const again = real([5010, 4990, 5005, 5020, 5000, 5010, 4995, 5000]);
    const { verdict, contrasts, sentence } = judgeReproduction(real(EIGHT), again);
    expect(verdict).toBe("reproduced");
    expect(sentence).toBe("Reproduced: nothing differs beyond what chance makes.");
    expect(contrasts[0]).toMatchObject({ arm: "on", baseline: "on (recorded)" });
  });

  it("is different when a metric moved beyond chance, and says which", () => {
    const { verdict, sentence } = judgeReproduction(real(EIGHT), real(EIGHT.map((ok) => ok - 1000 + (ok % 7))));
    expect(verdict).toBe("different");
    expect(sentence).toContain("goodput of on");
  });

  it("is undecided with too few trials, also where they differ much, and shows the figures", () => {
    const before = real([5000, 5020, 4990]);
    const after = real([2000, 2020, 1990]);
    const judged = judgeReproduction(before, after);
    expect(judged).toMatchObject({ verdict: "undecided", sentence: expect.stringContaining("from 6 on they can") });
    const text = renderReproduction({ ...judged, setting: ["cpus 2, now 4"], before, after });
    expect(text).toMatch(/^on, medians of 3 trials +recorded +now +change/mu);
    expect(text).toMatch(/^ {2}goodput, per s +500 +200 +0\.40x/mu);
    expect(text).toContain("Not as it was:\n  cpus 2, now 4\n");
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("is undecided where an arm has no trials that can be compared", () => {
    const invalid = real(EIGHT);
    const trials = invalid.trials.map((trial) => ({
      ...trial,
      validity: { ...trial.validity, verdict: "invalid" as const },
    }));
    const judged = judgeReproduction(real(EIGHT), { ...invalid, trials });
    expect(judged.verdict).toBe("undecided");
    expect(judged.contrasts).toHaveLength(1);
    expect(judgeReproduction(real([]), real(EIGHT)).verdict).toBe("undecided");
  });

  it("goes by the capacity that a search found, whatever came back while it climbed", () => {
    const same = judgeReproduction(searched(400, [380, 410]), searched(405, [398, 412], 900));
    expect(same).toMatchObject({ verdict: "reproduced", contrasts: [] });
    expect(same.sentence).toContain("405/s now (398/s to 412/s), 400/s then (380/s to 410/s)");
    const other = judgeReproduction(searched(400, [390, 410]), searched(300, [295, 305]));
    expect(other.verdict).toBe("different");
    expect(other.sentence).toContain("300/s now (295/s to 305/s), 400/s then (390/s to 410/s)");
    // Within one of the two intervals.
    expect(judgeReproduction(searched(400, [250, 550]), searched(300, [295, 305])).verdict).toBe("reproduced");
  });

  it("is undecided of capacities without an interval, or that are none, and says both figures", () => {
    for (const after of [
      searched(300),
      searched(300, [295, 305], 1, { held: false }),
      searched(300, [295, 305], 1, { saturated: true }),
    ]) {
      const { verdict, sentence } = judgeReproduction(searched(400, [390, 410]), after);
      expect(verdict).toBe("undecided");
      expect(sentence).toContain("300/s now");
      expect(sentence).toContain("400/s then");
    }
  });

  it("is another experiment where the plan is another one", () => {
    const after = real(EIGHT);
    const { verdict, sentence } = judgeReproduction(real(EIGHT), { ...after, plan: { ...after.plan, hash: "other" } });
    expect(verdict).toBe("different");
    expect(sentence).toContain("its plan is another one");
  });
});
