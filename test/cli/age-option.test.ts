import { describe, expect, it } from "vitest";
import { parseAge } from "../../src/cli/flags/age-option.ts";
import type { Result } from "../../src/result/schema.ts";
import { type FakeRunOutcome, runFake } from "../support/fake-host.ts";

const LOAD = ["--sim", "shed:capacity=1000", "--rps", "200", "--duration", "5s", "--window", "10s", "--vus", "10"];
const ARMS = LOAD.filter((flag) => flag !== "--window" && flag !== "10s");

function lastOf({ saved }: FakeRunOutcome): Result {
  return saved.at(-1)?.result as Result;
}

describe("parseAge()", () => {
  it.each([
    ["120s", { seconds: 120, latencySeconds: 0.005 }],
    ["2m", { seconds: 120, latencySeconds: 0.005 }],
    ["120s,latency=20ms", { seconds: 120, latencySeconds: 0.02 }],
    [" 1m30s , latency=0 ", { seconds: 90, latencySeconds: 0 }],
    ["none", { seconds: 0, latencySeconds: 0 }],
  ])("reads %j", (text, age) => {
    expect(parseAge(text)).toEqual(age);
  });

  it.each([
    ["", "must be a duration with a unit"],
    ["120", "must be a duration with a unit"],
    ["0s", "must be longer than nothing"],
    ["none,latency=5ms", "must be a duration with a unit"],
    ["120s,20ms", "must be a time such as 120s or 120s,latency=20ms, or none"],
    ["120s,latency=20ms,k=2", "must be a time such as 120s"],
    ["120s,latency=20", "must be a duration with a unit"],
    ["5ms", "must be longer than an answer takes in it, 0.005 s"],
  ])("refuses %j", (text, message) => {
    expect(() => parseAge(text)).toThrow(RangeError);
    expect(() => parseAge(text)).toThrow(message);
  });
});

describe("--age", () => {
  it("gives the clients of every trial a past, which the result and the text say", async () => {
    const outcome = await runFake([...LOAD, "--age", "20s"]);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    expect(outcome.specs[0]?.age).toEqual({ seconds: 20, latencySeconds: 0.005 });
    const { trials, config } = lastOf(outcome);
    expect(config).toMatchObject({ age: { seconds: 20, latencySeconds: 0.005 } });
    expect(trials[0]?.age?.seconds).toBe(20);
    expect(Math.abs((trials[0]?.age?.calls ?? 0) - 4000)).toBeLessThan(300);
    expect(outcome.stdout).toContain("clients aged 20 s");
    expect(outcome.stdout).toMatch(/^Past +20 s of healthy traffic/mu);
  });

  it("is none by default, and where it says so", async () => {
    for (const args of [LOAD, [...LOAD, "--age", "none"]]) {
      const { specs, saved } = await runFake(args);
      expect(specs[0]).not.toHaveProperty("age");
      expect(saved.at(-1)?.result.config).not.toHaveProperty("age");
    }
  });

  it("takes the place of the note that a run was shorter than its window", async () => {
    const codes = (outcome: FakeRunOutcome) => lastOf(outcome).trials[0]?.validity.reasons.map(({ code }) => code);
    expect(codes(await runFake(LOAD))).toEqual(["short-run"]);
    expect(codes(await runFake([...LOAD, "--age", "20s"]))).toEqual(["few-windows"]);
  });

  it("is each arm's own where it says one, and the table shows it", async () => {
    const outcome = await runFake([
      ...["ab", ...ARMS, "--repeats", "1", "--age", "10s"],
      ...["--arm", "new:policy=sre,window=10s,age=none", "--arm", "old:policy=sre,window=10s,age=20s,ageLatency=2ms"],
      ...["--arm", "usual:policy=sre,window=10s"],
    ]);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    const { trials, config } = lastOf(outcome);
    expect(trials.map(({ arm, age }) => [arm, age?.seconds]).toSorted()).toEqual([
      ["new", undefined],
      ["old", 20],
      ["usual", 10],
    ]);
    expect(config.arms).toMatchObject([
      { age: { seconds: 0 } },
      { age: { seconds: 20, latencySeconds: 0.002 } },
      { arm: "usual" },
    ]);
    expect(outcome.stdout).toMatch(/^clients +cold +aged 20 s +aged 10 s/mu);
  });

  it("is that of all cells of a sweep", async () => {
    const { specs, stdout } = await runFake([
      ...["sweep", ...LOAD, "--k", "1.5,2", "--repeats", "1", "--no-recovery", "--warmup", "0", "--age", "15s"],
    ]);
    expect(specs.map(({ age }) => age?.seconds)).toEqual([15, 15]);
    expect(stdout).toContain("clients aged 15 s");
  });

  it("stands in what a dry run shows, and starts nothing", async () => {
    const { stdout, events } = await runFake([...LOAD, "--age", "20s,latency=20ms", "--dry-run"]);
    expect(stdout).toMatch(/^ +age +.*20s,latency=20ms$/mu);
    expect(events).toEqual([]);
  });

  it.each<readonly [string, readonly string[], RegExp]>([
    [
      "answers that no client waits for",
      ["--age", "20s,latency=2s"],
      /^overload-bench: --age: .*an attempt may \(1 s\): current value is 2 s\n/u,
    ],
    ["a load that begins at nothing", ["--age", "20s", "--stages", "5s@0..200"], /--age: .*begins at rate 0/u],
    ["more calls than can be waited for", ["--age", "1000h"], /--age: .*at most 20000000 calls/u],
  ])("refuses %s, in one line", async (_what, args, message) => {
    const load = args.includes("--stages")
      ? LOAD.filter((flag) => !["--rps", "200", "--duration", "5s"].includes(flag))
      : LOAD;
    const { exitCode, stderr, events } = await runFake([...load, ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(events).toEqual([]);
  });

  it("names the arm whose own past is refused", async () => {
    const arms = ["--arm", "a:policy=sre", "--arm", "b:policy=sre,attemptTimeout=1ms,age=20s"];
    const { exitCode, stderr } = await runFake(["ab", ...ARMS, ...arms]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--arm b: ");
  });
});
