import { describe, expect, it } from "vitest";
import type { WrittenLine } from "../../src/result/journal-schema.ts";
import type { ResultStore } from "../../src/result/store.ts";
import { type FakeRunOutcome, runFake } from "../support/fake-host.ts";

/** Enough calls in a window, and windows in the run. */
const CALM = ["--sim", "shed:capacity=100", "--rps", "200", "--duration", "10s", "--window", "2s", "--vus", "10"];

const codes = ({ saved }: FakeRunOutcome, trial = 0): string[] =>
  (saved.at(-1)?.result.trials[trial]?.validity.reasons ?? []).map(({ code }) => code);

describe("what the guard rails say of a policy", () => {
  it("is nothing when there is nothing to say", async () => {
    const outcome = await runFake(CALM);
    expect(codes(outcome)).toEqual([]);
    expect((await runFake([...CALM, "-q"])).stderr).toBe("");
  });

  it("comes on stderr before the run, and as notes that leave the measurement valid", async () => {
    const { exitCode, saved, stderr, stdout } = await runFake([...CALM, "--k", "9", "-q"]);
    expect(stderr).toBe(
      "K is 9: nothing is rejected locally until 88.9 % of what is sent is refused -> Take a K of at most 5, 2 is usual (--policy sre,k=2)\n",
    );
    expect(saved[0]?.result.trials[0]?.validity).toMatchObject({
      verdict: "valid",
      reasons: [{ code: "high-k", severity: "note", figure: 9, limit: 5 }],
    });
    expect(stdout).toContain("[high-k]");
    expect(exitCode).toBe(0);
  });

  it("is said of each arm's own policy", async () => {
    const outcome = await runFake(["ab", ...CALM, "--k", "1", "--repeats", "1"]);
    expect(codes(outcome, 0)).toEqual([]);
    expect(codes(outcome, 1)).toEqual(["low-k"]);
  });

  it("is said once of all arms that it is about, by their names, also with -q", async () => {
    const load = ["--sim", "shed:capacity=100", "--rps", "200", "-d", "2s", "--vus", "10", "--warmup", "0"];
    const args = [...load, "--repeats", "1", "--no-recovery", "--k", "1.1,1.5,2,3,9", "-q"];
    const { stderr } = await runFake(["sweep", ...args]);
    const lines = stderr.split("\n").filter((line) => line.includes(" -> "));
    expect(lines.length).toBeGreaterThan(1);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines[0]).toMatch(/^k=1\.1, k=1\.5, k=2 and 2 more: The run lasts /u);
    expect(lines.filter((line) => line.startsWith("k=9: K is 9"))).toHaveLength(1);
  });

  it("is in the journal before the trial has ended", async () => {
    const lines: WrittenLine[] = [];
    const store: ResultStore = {
      prepare: async () => {},
      save: async () => ({ path: "results/fake.json" }),
      startJournal: async () => ({
        path: "results/fake.journal.jsonl",
        isWhole: true,
        append: (line) => void lines.push(structuredClone(line)),
        flush() {},
        close: async () => {},
        remove: async () => {},
      }),
    };
    await runFake([...CALM, "--k", "9"], { services: { resultStore: () => store } });
    expect(lines[0]).toMatchObject({ kind: "trial", remarks: [{ code: "high-k" }] });
    expect(lines[1]).toMatchObject({ kind: "ended", trial: { validity: { reasons: [{ code: "high-k" }] } } });
  });

  it("is not said twice: a trial shorter than a window says so itself", async () => {
    const outcome = await runFake(["--sim", "shed:capacity=100", "--rps", "200", "-d", "2s", "--window", "10s"]);
    expect(outcome.stderr).toContain("The run lasts 0.2 of the policy's windows of 10 s");
    expect(codes(outcome)).toEqual(["short-run"]);
    expect(codes(await runFake(["--sim", "shed:capacity=100", "--rps", "900", "-d", "2s", "--window", "1s"]))).toEqual([
      "sparse-window",
      "few-windows",
    ]);
  });

  it("is left out only where the trial speaks of the same window", async () => {
    const brief = ["--sim", "shed:capacity=900", "--rps", "500", "-d", "4s", "-u", "1"];
    // The engine knows an option of the name window alone.
    expect(codes(await runFake([...brief, "--policy", "polly"]))).toEqual(["cold-clients"]);
    expect(codes(await runFake([...brief, "--policy", "breaker-ratio"]))).toEqual(["short-run"]);
    expect(codes(await runFake([...brief, "--policy", "breaker-ratio,window=3s"]))).toEqual(["few-windows"]);
  });

  it("proposes what the command line takes", async () => {
    const load = ["--sim", "shed:capacity=900", "--rps", "500", "-d", "10s", "-u", "1"];
    const { stderr } = await runFake([...load, "--policy", "polly"]);
    expect(stderr).toContain(
      "run for 150 s (--warmup counts), or scale the window down (--policy polly,samplingDuration=2s)",
    );
    expect(codes(await runFake([...load, "--policy", "polly,samplingDuration=2s"]))).toEqual([]);
  });

  it("knows the mix of criticalities", async () => {
    const alike = [...CALM, "--policy", "sre-criticality"];
    expect(codes(await runFake(alike))).toEqual(["one-criticality"]);
    expect(codes(await runFake([...alike, "--criticality", "critical=1"]))).toEqual(["one-criticality"]);
    expect(codes(await runFake([...alike, "--criticality", "critical=70,sheddable=30"]))).toEqual([]);
  });

  it("knows what changes nothing for a policy without retries", async () => {
    const load = ["--sim", "shed:capacity=100", "--rps", "200", "-d", "10s"];
    const outcome = await runFake([...load, "--policy", "none,backoff=full"]);
    expect(codes(outcome)).toEqual(["no-retries"]);
    expect(outcome.stderr).toContain("Take a policy that retries (--policy retry)");
  });

  it("knows the latency of a simulation before the run", async () => {
    const sim = [
      "--sim",
      "shed:capacity=900,latency=1s",
      "--rps",
      "200",
      "-d",
      "10s",
      "--window",
      "2s",
      "-u",
      "10",
      "-t",
      "2s",
    ];
    const outcome = await runFake(sim);
    expect(outcome.stderr).toContain("A client has 20 calls under way at once");
    expect(codes(outcome)).toEqual(["counts-overlap", "throttled-healthy"]);
    expect(codes(await runFake([...sim, "--policy", "sre-sent-only"]))).toEqual([]);
  });

  it("sees a shared policy as one client", async () => {
    const few = ["--sim", "shed:capacity=900", "--rps", "50", "-d", "10s", "--window", "2s", "-u", "10"];
    expect(codes(await runFake(few))).toEqual(["sparse-window"]);
    expect(codes(await runFake([...few, "--scope", "process"]))).toEqual([]);
  });
});

describe("--scope", () => {
  it("stands for the policy's option, and is in the result", async () => {
    const { specs, saved } = await runFake([...CALM, "--scope", "process"]);
    expect(specs[0]?.policy.options).toMatchObject({ scope: "process" });
    expect(saved[0]?.result.config).toMatchObject({ arms: [{ policy: "sre", scope: "process" }] });
  });

  it("is what each worker shares by itself, which is said", async () => {
    const args = ["--url", "http://h/", "--rps", "200", "-d", "10s", "--window", "1s", "-u", "10", "-q", "-w", "2"];
    const said = "With scope process each of the 2 workers has a policy of its own, for the users that it has\n";
    expect((await runFake([...args, "--scope", "process"])).stderr).toContain(said);
    expect((await runFake([...args, "--policy", "sre,scope=process"])).stderr).toContain(said);
    expect((await runFake([...args, "--scope", "user"])).stderr).not.toContain(said);
  });

  it("is one of two", async () => {
    const { exitCode, stderr } = await runFake(["--scope", "all"]);
    expect(stderr).toBe('overload-bench: --scope must be one of user, process: current value is "all"\n');
    expect(exitCode).toBe(2);
  });
});
