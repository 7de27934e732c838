import { describe, expect, it } from "vitest";
import type { TargetWatch } from "../../src/experiment/experiment.ts";
import { resultSchema, type TargetStats } from "../../src/result/schema.ts";
import type { RunningTrials } from "../../src/world/trial-pool.ts";
import { runFake } from "../support/fake-host.ts";

const REAL = ["--rps", "300", "--duration", "5s", "--window", "5s", "--vus", "10"];

const STATS: TargetStats = {
  accepted: 1_000,
  rejected: 1_000,
  abandoned: 0,
  cpuAcceptSeconds: 5,
  cpuRejectSeconds: 1.5,
  cpuTotalSeconds: 7,
  wallSeconds: 8,
  busySeconds: 6.7,
  queueMax: 50,
  settings: { mode: "shed", acceptMs: 5, rejectMs: 1.5, queue: 50, retryAfter: null, reserve: 0 },
};

const endpointTarget = () => ({
  idleRule: async () => "until it is idle",
  untilIdle: async () => undefined,
  watch: async (): Promise<TargetWatch> => ({ end: async () => ({ stats: STATS, script: "1s..2s:capacity=0.5" }) }),
});

describe("run --twin", () => {
  it("simulates the same plan and clients against the law that the target counted, and reports both", async () => {
    const { exitCode, events, specs, saved, stdout, stderr } = await runFake(["--twin", ...REAL], {
      services: { endpointTarget },
    });
    expect(exitCode).toBe(0);
    expect(events.filter((event) => event.startsWith("trial"))).toEqual(["trial sre 0", "trial sre-twin 0"]);
    const [real, twin] = specs;
    expect(twin).toEqual({
      ...real,
      arm: "sre-twin",
      world: {
        kind: "virtual",
        model: expect.objectContaining({ name: "worker", acceptSeconds: 0.0051, rejectSeconds: 0.0016, queueMax: 50 }),
        script: [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0.5 }],
      },
    });
    expect(saved.map(({ final }) => final)).toEqual([false, true]);
    const [before, after] = saved.map(({ result }) => resultSchema.parse(result));
    expect(before).toMatchObject({ partial: true });
    expect(before?.twin).toBeUndefined();
    expect(after).toMatchObject({ partial: false, trials: before?.trials, config: { world: { twin: true } } });
    expect(after?.twin).toMatchObject({ made: true, law: { source: "counters" }, trial: { world: "virtual" } });
    expect(stdout).toMatch(/^Twin +real +twin +difference$/m);
    expect(stderr).toMatch(/^twin$/m);
  });

  it("says why there is no twin where there is no law, and ends well", async () => {
    const stats = { ...STATS, settings: { ...STATS.settings, mode: "slope" } };
    const { exitCode, saved, specs, stdout } = await runFake(["--twin", ...REAL], {
      services: {
        endpointTarget: () => ({ ...endpointTarget(), watch: async () => ({ end: async () => ({ stats }) }) }),
      },
    });
    expect(exitCode).toBe(0);
    expect(specs).toHaveLength(1);
    expect(saved.at(-1)?.result.twin).toMatchObject({ made: false });
    expect(stdout).toMatch(/^Twin +none\. There is no twin of a target in mode slope/m);
  });

  it("keeps the real trial whatever goes wrong with the twin", async () => {
    const failing = (): RunningTrials => ({
      result: Promise.reject(new Error("out of memory")),
      stop() {},
      kill() {},
    });
    const { exitCode, saved, stderr } = await runFake(["--twin", ...REAL], {
      services: { endpointTarget, startTrials: failing },
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("There is no twin: out of memory");
    expect(saved.at(-1)).toMatchObject({
      final: true,
      result: { partial: false, trials: [{ arm: "sre" }], twin: { made: false, reason: "out of memory" } },
    });
  });

  it("makes no twin when it is asked to stop during the real trial", async () => {
    const { exitCode, saved, specs } = await runFake(["--twin", ...REAL], {
      services: { endpointTarget },
      onTrial: (_spec, send) => send("SIGINT"),
    });
    expect(exitCode).toBe(130);
    expect(specs).toHaveLength(1);
    expect(saved.at(-1)).toMatchObject({ final: true, result: { trials: [{ arm: "sre" }] } });
    expect(saved.at(-1)?.result).toMatchObject({
      partial: true,
      twin: { made: false, reason: "The run was stopped before it was done" },
    });
  });

  it("saves the real trial without its twin when the twin is cut short", async () => {
    const { exitCode, saved } = await runFake(["--twin", ...REAL], {
      services: { endpointTarget },
      onTrial: (spec, send) => {
        if (spec.arm === "sre-twin") send("SIGTERM");
      },
    });
    expect(exitCode).toBe(143);
    expect(saved.at(-1)).toMatchObject({ final: true, result: { trials: [{ arm: "sre" }] } });
    expect(saved.at(-1)?.result).toMatchObject({
      partial: true,
      twin: { made: false, reason: "The run was stopped before it was done" },
    });
  });

  it.each([
    [["--twin", "--sim", "bernoulli:accept=1", "--rps", "10"], "--twin sets a simulation beside a real trial"],
    [["ab", "--twin"], "unknown option '--twin'"],
  ])("is for real runs alone: %j", async (args, message) => {
    const { exitCode, stderr } = await runFake(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
