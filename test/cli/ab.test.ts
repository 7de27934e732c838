import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Result, resultSchema, type TrialResult } from "../../src/result/schema.ts";
import { type FakeRunOutcome, runFake } from "../support/fake-host.ts";
import { inFolder } from "../support/journal-fixture.ts";

const SIM = ["ab", "--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "500", "--duration", "10s", "--window", "5s"];

describe("ab", () => {
  it("runs off-on, on-off, in blocks of two pairs, the same arrivals in a pair and others in the next", async () => {
    const { specs, saved } = await runFake(SIM);
    expect(specs.map(({ arm, pair }) => `${arm}${pair}`)).toEqual(["off0", "on0", "on1", "off1", "on2", "off2"]);
    const hashes = saved.at(-1)?.result.trials.map((trial) => trial.plan.hash) ?? [];
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[2]).toBe(hashes[3]);
    expect(new Set(hashes).size).toBe(3);
  });

  it("takes for off a plain client with as many attempts", async () => {
    const { specs } = await runFake([...SIM, "--repeats", "1", "--policy", "sre,maxAttempts=5,k=1.1"]);
    expect(specs[0]?.policy).toEqual({ name: "retry", options: { maxAttempts: 5 } });
    expect(specs[1]?.policy).toMatchObject({ name: "sre", options: { k: 1.1, maxAttempts: 5, window: 5 } });
  });

  it("saves after each trial, and the comparison in the end", async () => {
    const { saved, stdout, exitCode } = await runFake([...SIM, "--repeats", "2"]);
    expect(saved.map(({ final, result }) => [final, result.trials.length, result.partial])).toEqual([
      [false, 1, true],
      [false, 2, true],
      [false, 3, true],
      [true, 4, false],
    ]);
    for (const { result } of saved) expect(() => resultSchema.parse(result)).not.toThrow();
    const comparison = saved.at(-1)?.result.comparison;
    expect(comparison?.arms.map((arm) => arm.arm)).toEqual(["off", "on"]);
    expect(comparison?.arms[1]?.goodput).toBeGreaterThan(50);
    expect(stdout).toContain(comparison?.conclusion.slice(0, 30));
    expect(exitCode).toBe(0);
  });

  it("lets the target come to rest before each further trial", async () => {
    const { events } = await runFake(["ab", "--duration", "2s", "--repeats", "1"]);
    expect(events).toEqual([
      "target shed:acceptMs=5,rejectMs=1.5,queue=50",
      "trial off 0",
      "idle",
      "trial on 0",
      "target stopped",
    ]);
  });

  it("keeps the trials that ended when it is interrupted", async () => {
    let trials = 0;
    const { exitCode, saved } = await runFake(SIM, {
      onTrial(_spec, send) {
        trials += 1;
        if (trials === 3) send("SIGINT");
      },
    });
    expect(exitCode).toBe(130);
    expect(saved.at(-1)).toMatchObject({ final: true, result: { partial: true } });
    expect(saved.at(-1)?.result.trials.length).toBe(3);
  });

  it("says in the result what was waited for between trials, where anything was", async () => {
    const real = await runFake(["ab", "--duration", "2s", "--repeats", "1"]);
    expect(real.saved.at(-1)?.result.design.idle).toBe("until it is idle");
    expect((await runFake([...SIM, "--repeats", "1"])).saved.at(-1)?.result.design.idle).toBeUndefined();
    expect((await runFake(["--duration", "2s"])).saved.at(-1)?.result.design.idle).toBeUndefined();
  });

  it("shows at least five times the goodput with control in the model of the built-in target", async () => {
    const { saved } = await runFake([
      ...["ab", "--sim", "shed:capacity=1000,burst=50,rejectCost=0.3", "--rps", "2000", "--duration", "20s"],
      ...["--window", "10s", "--repeats", "2"],
    ]);
    const [off, on] = saved.at(-1)?.result.comparison?.arms ?? [];
    expect(on?.goodput).toBeGreaterThan(650);
    expect(on?.goodput).toBeGreaterThan(5 * (off?.goodput as number));
  });
});

const ARMS = [
  "--arm",
  "k2:policy=sre",
  "--arm",
  "none:policy=retry,maxAttempts=2",
  "--arm",
  "k11:policy=sre,k=1.1,window=5",
];
const LOAD = SIM.slice(0, -2);

const MINE = `export const policy = {
  name: "mine", summary: "Sends everything once", options: {},
  create: () => () => ({ admit: () => "send", settle: () => "done" }),
};`;

function lastOf(saved: FakeRunOutcome["saved"]): Result {
  return saved.at(-1)?.result as Result;
}

describe("ab --arm", () => {
  it("compares any number of arms with the first, on the same arrivals", async () => {
    const { specs, saved, exitCode, stderr } = await runFake([...LOAD, ...ARMS, "--repeats", "2"]);
    expect(exitCode, stderr).toBe(0);
    const { design, comparison, trials, config } = lastOf(saved);
    expect(design).toMatchObject({ arms: ["k2", "none", "k11"], pairs: 2, seed: 1, chance: "common" });
    expect(comparison?.contrasts.map(({ arm, baseline }) => `${arm} ${baseline}`)).toEqual(["none k2", "k11 k2"]);
    expect(
      specs
        .slice(0, 3)
        .map(({ arm }) => arm)
        .toReversed(),
    ).toEqual(specs.slice(3).map(({ arm }) => arm));
    expect(new Set(trials.filter(({ pair }) => pair === 0).map(({ plan }) => plan.hash)).size).toBe(1);
    expect(config.arms).toMatchObject([
      { arm: "k2", policy: "sre", k: 2 },
      { arm: "none", policy: "retry", maxAttempts: 2 },
      { arm: "k11", policy: "sre", k: 1.1, window: 5 },
    ]);
  });

  it("takes policies of one's own, and a time-out of the arm's own", async () => {
    await inFolder(async (folder) => {
      const file = join(folder, "mine.mjs");
      await writeFile(file, MINE);
      const arms = ["--arm", "off:policy=none", "--arm", `mine:policy=${file},attemptTimeout=250ms`];
      const { specs, saved, exitCode, stderr } = await runFake([...LOAD, ...arms, "--repeats", "1"], {
        files: { [file]: MINE },
      });
      expect(exitCode, stderr).toBe(0);
      expect(specs.map(({ arm, timeoutSeconds }) => [arm, timeoutSeconds]).toSorted()).toEqual([
        ["mine", 0.25],
        ["off", 1],
      ]);
      expect(lastOf(saved).config.arms).toMatchObject([{}, { policyFile: file, attemptTimeoutSeconds: 0.25 }]);
    });
  });

  it.each<[args: readonly string[], message: string]>([
    [["--arm", "a:policy=sre"], "--arm must be given at least twice, the baseline first: only 'a' is given"],
    [["--arm", "a:policy=sre", "--arm", "a:policy=none"], "--arm must give each arm a name of its own"],
    [["--arm", "a:policy=sre", "--arm", "b:policy=snre"], "--arm b: There is no policy 'snre'"],
    [["--arm", "a:policy=sre", "--arm", "b:policy=sre,kk=2"], "--arm b: "],
    [[...ARMS, "--policy", "sre"], "--arm says what policy each arm has, so it excludes --policy"],
    [[...ARMS, "--k", "2"], "so it excludes --k: write on:policy=sre,k=2,window=10"],
    [[...ARMS, "--window", "2s"], "so it excludes --window"],
    [[...ARMS, "--scope", "user"], "so it excludes --scope"],
  ])("refuses %j", async (args, message) => {
    const { exitCode, stderr, specs } = await runFake([...LOAD, ...args]);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(specs).toEqual([]);
  });

  it("of a file is a list of texts or of maps, and gives way to --policy and --k of the command line", async () => {
    const yaml = "arm:\n  - off:policy=none\n  - { name: on, policy: sre, k: 1.5, window: 5 }\nrepeats: 1\n";
    const setup = { files: { "c.yaml": yaml } };
    const file = await runFake([...LOAD, "--config", "c.yaml"], setup);
    expect(file.stderr).not.toContain("overload-bench:");
    expect(file.saved.at(-1)?.result.config.arms).toMatchObject([{ arm: "off" }, { arm: "on", k: 1.5, window: 5 }]);
    for (const flags of [
      ["--policy", "sre-completion"],
      ["--k", "3"],
    ]) {
      const { saved, stderr } = await runFake([...LOAD, "--config", "c.yaml", ...flags], setup);
      expect(stderr).not.toContain("excludes");
      expect(saved.at(-1)?.result.design.arms).toEqual(["off", "on"]);
      expect(saved.at(-1)?.result.config.arms).not.toMatchObject([{}, { k: 1.5 }]);
    }
    const policy = { files: { "c.yaml": "policy: sre,k=1.5\nrepeats: 1\n" } };
    expect((await runFake([...LOAD, "--config", "c.yaml", ...ARMS], policy)).saved.at(-1)?.result.design.arms).toEqual([
      "k2",
      "none",
      "k11",
    ]);
  });
});

describe("ab --chance", () => {
  const EQUAL = [...LOAD, "--arm", "a:policy=sre,window=5", "--arm", "b:policy=sre,window=5", "--repeats", "1"];
  const trialsOf = async (args: readonly string[]): Promise<readonly TrialResult[]> => {
    const { saved, exitCode } = await runFake(args);
    expect(exitCode).toBe(0);
    return lastOf(saved).trials.map((trial) => ({ ...trial, arm: "", startedAt: "" }));
  };

  it("is common: equal arms are the same to the bit", async () => {
    const [a, b] = await trialsOf(EQUAL);
    expect(a).toEqual(b);
    expect(await trialsOf([...EQUAL, "--chance", "common"])).toEqual([a, b]);
  });

  it("may be each arm's own: equal arms differ, on the same arrivals", async () => {
    const [a, b] = await trialsOf([...EQUAL, "--chance", "own"]);
    expect(a?.plan).toEqual(b?.plan);
    expect(a?.calls).not.toEqual(b?.calls);
  });
});

describe("ab that stops early", () => {
  const CLEAR = [
    ...LOAD,
    "--arm",
    "k2:policy=sre,window=5",
    "--arm",
    "k11:policy=sre,k=1.1,window=5",
    "--repeats",
    "12",
  ];

  it("runs no more pairs than decide, and says so, whatever the number of workers", async () => {
    const results: Result[] = [];
    for (const workers of ["1", "3"]) {
      const { saved, stderr, stdout, exitCode } = await runFake([...CLEAR, "--workers", workers]);
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(/\nDecided after \d of 12 pairs: /);
      expect(stdout).not.toContain("PARTIAL");
      results.push(saved.at(-1)?.result as Result);
    }
    const [one, three] = results as [Result, Result];
    expect(three.design).toEqual(one.design);
    expect(three.comparison).toEqual(one.comparison);
    const { stopped, stopping, pairs } = one.design;
    expect(stopped).toMatchObject({ because: "decided" });
    expect(stopping).toMatchObject({ rule: "sequential", alpha: 0.05, smallestEffect: 0.05 });
    expect(one.trials).toHaveLength(2 * (stopped?.pairs ?? 0));
    expect(stopped?.pairs).toBeLessThan(pairs);
    expect(one.partial).toBe(false);
    expect(one.comparison?.contrasts[0]?.looks?.length).toBeGreaterThan(0);
  });

  it("does not with --no-early-stop, nor with fewer pairs than a test by signs takes", async () => {
    const all = (await runFake([...CLEAR, "--no-early-stop"])).saved.at(-1)?.result as Result;
    expect(all.trials).toHaveLength(24);
    expect(all.design.stopping).toEqual({ rule: "all-pairs" });
    expect(all.design.stopped).toBeUndefined();
    const few = (await runFake([...CLEAR, "--repeats", "6"])).saved.at(-1)?.result as Result;
    expect(few.design.stopping).toEqual({ rule: "all-pairs" });
  });

  it("goes by the smallest effect that matters", async () => {
    const { saved } = await runFake([...CLEAR, "--effect", "2.5%", "--repeats", "2"]);
    expect(saved.at(-1)?.result.design.smallestEffect).toBe(0.025);
    expect(saved.at(-1)?.result.comparison?.smallestEffect).toBe(0.025);
    for (const effect of ["5", "0.05", "0%", "100%", "-1%", "5 %"]) {
      const { exitCode, stderr } = await runFake([...CLEAR, "--effect", effect]);
      expect(stderr).toContain("--effect must be a share above 0% and below 100%");
      expect(exitCode).toBe(2);
    }
  });
});

describe("run --repeats", () => {
  it("makes several trials with arrivals of their own, and sums them up", async () => {
    const { saved, stdout, exitCode } = await runFake(["run", ...SIM.slice(1), "--repeats", "3"]);
    const { trials, design, comparison } = lastOf(saved);
    expect(exitCode).toBe(0);
    expect(trials.map(({ arm, pair }) => `${arm}${pair}`)).toEqual(["sre0", "sre1", "sre2"]);
    expect(new Set(trials.map(({ plan }) => plan.hash)).size).toBe(3);
    expect(design).toMatchObject({ arms: ["sre"], pairs: 3 });
    expect(comparison).toBeUndefined();
    expect(stdout).toContain("goodput");
    expect(stdout).toContain("3 valid");
  });

  it("excludes --twin", async () => {
    const { stderr, exitCode } = await runFake(["--duration", "2s", "--twin", "--repeats", "2"]);
    expect(stderr).toContain("--twin is of a single trial: it excludes --repeats 2");
    expect(exitCode).toBe(2);
  });
});

describe("demo", () => {
  it("runs ab on the built-in target at about twice its capacity", async () => {
    const { saved, specs, stdout } = await runFake(["demo"]);
    expect(specs).toHaveLength(4);
    expect(saved.at(-1)?.result).toMatchObject({ command: "demo", plan: { rps: 400, users: 100 } });
    expect(stdout).toContain("Goodput");
  });
});
