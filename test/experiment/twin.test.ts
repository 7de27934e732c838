import { describe, expect, it } from "vitest";
import type { WorkerModelSpec } from "../../src/engine/trial-spec.ts";
import { compareTwin, findLaw, twinSpec } from "../../src/experiment/twin.ts";
import {
  type Result,
  resultSchema,
  type ServiceLaw,
  type TargetStats,
  type TrialResult,
} from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { latencyFixture, resultFixture, trialFixture } from "../support/trial-fixture.ts";
import { trialSpec, UNWATCHED } from "../support/trial-spec.ts";

const SETTINGS = { mode: "shed", acceptMs: 5, rejectMs: 1.5, queue: 50, fifoQueue: 1000, retryAfter: null, reserve: 0 };

/** 1,000 accepted of 5.2 ms of work, 2,000 rejected of 1.6 ms, and 0.9 s beside for the 3,000. */
const COUNTED: TargetStats = {
  accepted: 1_000,
  rejected: 2_000,
  abandoned: 0,
  cpuAcceptSeconds: 5.2,
  cpuRejectSeconds: 3.2,
  cpuTotalSeconds: 8.8,
  wallSeconds: 10.5,
  busySeconds: 9.3,
  queueMax: 50,
  settings: SETTINGS,
};

function counted(changes: Partial<TargetStats> = {}, facts: Partial<TrialResult> = {}): TrialResult {
  const { accepted, rejected } = COUNTED;
  const trial = trialFixture({
    calls: { ok: accepted, failed: rejected },
    attempts: { accepted, overloaded: rejected },
    service: {
      accepted: { ...latencyFixture(accepted, 200, 280, 300), minMs: 180 },
      overloaded: { ...latencyFixture(rejected, 9, 20, 30), minMs: 7.8 },
    },
    target: { ...COUNTED, ...changes },
  });
  return { ...trial, ...facts };
}

function lawOf(trial: TrialResult): ServiceLaw {
  const found = findLaw(trial);
  if ("reason" in found) throw new Error(found.reason);
  return found.law;
}

describe("findLaw() from the target's counters", () => {
  it("takes the mean work of either, and an equal share of what the target was busy with beside", () => {
    const law = lawOf(counted());
    expect(law).toMatchObject({ source: "counters", model: "worker", queueMax: 50, assumptions: [] });
    expect(law.overheadMs).toBeCloseTo(0.3, 9);
    expect(law.acceptMs).toBeCloseTo(5.5, 9);
    expect(law.rejectMs).toBeCloseTo(1.9, 9);
  });

  it("takes the latency from the fastest attempts: an accepted one beyond its work, a rejection beyond a job and its own", () => {
    expect(lawOf(counted()).latencyMs).toBeCloseTo(7.8 - 5.5 - 1.9, 9);
    const { service, ...rest } = counted().latency;
    const idle = { ...rest, service: { ...service, accepted: { ...latencyFixture(1000, 9, 20, 30), minMs: 5.75 } } };
    expect(lawOf(counted({}, { latency: idle })).latencyMs).toBeCloseTo(0.25, 9);
  });

  it("does not take the reset of a connection, or a burn below its mean, for a latency below zero", () => {
    expect(lawOf(counted({ cpuAcceptSeconds: 8 })).latencyMs).toBe(0);
    const reset = counted({}, { errors: { ECONNRESET: 3 } });
    expect(lawOf(reset).latencyMs).toBeCloseTo(180 - 5.5, 9);
  });

  it("takes a rejection's work from the settings where clients that had left make the mean less, or none was rejected", () => {
    expect(lawOf(counted({ cpuRejectSeconds: 1, busySeconds: 7.1 })).rejectMs).toBeCloseTo(1.5 + 0.3, 9);
    const none = lawOf(counted({ rejected: 0, cpuRejectSeconds: 0, busySeconds: 5.5 }));
    expect(none.rejectMs).toBeCloseTo(1.5 + 0.3, 9);
    expect(none.assumptions).toEqual(["Nothing was rejected: what that takes is what the target is set to."]);
  });

  it("takes the work from the settings where a script changed the capacity, and says so", () => {
    const law = lawOf(counted({}, { script: "3s..6s:capacity=0.25" }));
    expect(law.acceptMs).toBeCloseTo(5.3, 9);
    expect(law.rejectMs).toBeCloseTo(1.8, 9);
    expect(law.assumptions).toEqual([expect.stringContaining("As the script changed the capacity")]);
    const stretched = lawOf(counted({ askedSeconds: 6 }, { script: "3s..6s:capacity=0.25" }));
    expect(stretched.acceptMs).toBeCloseTo(0.3 + (5 * 8.4) / 6, 9);
    expect(lawOf(counted({}, { script: "3s..6s:latency=1s" })).assumptions).toEqual([]);
  });

  it("takes the work from the settings where the target was cold, and says so", () => {
    const cold = { ...SETTINGS, coldCost: 3, warmJobs: 500, warmth: 0 };
    const law = lawOf(counted({ askedSeconds: 6, settings: cold }));
    expect(law.acceptMs).toBeCloseTo(0.3 + (5 * 8.4) / 6, 9);
    expect(law.rejectMs).toBeCloseTo(1.9, 9);
    expect(law.assumptions).toEqual([expect.stringContaining("while the target was cold")]);
    for (const settings of [
      { ...cold, coldCost: 1 },
      { ...cold, coldCost: null, warmJobs: null },
    ]) {
      expect(lawOf(counted({ settings }))).toMatchObject({ assumptions: [] });
      expect(lawOf(counted({ settings })).acceptMs).toBeCloseTo(5.5, 9);
    }
  });

  it("says that a rejection has another status than the target's, where it has", () => {
    expect(lawOf(counted({ settings: { ...SETTINGS, status: 503 } })).assumptions).toEqual([]);
    expect(lawOf(counted({ settings: { ...SETTINGS, status: 500 } })).assumptions).toEqual([
      "Rejections are a 503 in the twin, and a 500 in the target.",
    ]);
  });

  it("counts the processor's time where the target does not tell how long it was busy, and no overhead below zero", () => {
    const { busySeconds: _busySeconds, ...older } = COUNTED;
    expect(lawOf({ ...counted(), target: older }).overheadMs).toBeCloseTo(0.4 / 3, 9);
    expect(lawOf({ ...counted(), target: { ...older, cpuTotalSeconds: 5 } }).overheadMs).toBe(0);
  });

  it("counts work on what was given up in mode fifo, whose twin does it too", () => {
    const settings = { ...SETTINGS, mode: "fifo" };
    const stuck = counted({
      settings,
      accepted: 0,
      abandoned: 1_000,
      rejected: 0,
      cpuRejectSeconds: 0,
      busySeconds: 5.5,
    });
    expect(lawOf(stuck)).toMatchObject({ model: "fifo", rejectMs: 0, queueMax: 1000, assumptions: [] });
    expect(lawOf(stuck).acceptMs).toBeCloseTo(5.5, 9);
  });

  it("takes no latency from a fifo that was in overload from its warm-up on", () => {
    const settings = { ...SETTINGS, mode: "fifo" };
    const trial = counted({ settings, rejected: 0 }, { errors: { timeout: 2_000 } });
    const timedOut = latencyFixture(2000, 1000, 1001, 1002, 2000);
    const service = { ...trial.latency.service, overloaded: timedOut };
    const late = { ...trial, latency: { ...trial.latency, service } };
    expect(lawOf(late).latencyMs).toBeGreaterThan(170);
    const warmup = { seconds: 5, calls: trial.calls, attempts: trial.attempts };
    expect(lawOf({ ...late, warmup }).latencyMs).toBe(0);
  });

  it.each([
    ["There is no twin of a target in mode slope", { settings: { ...SETTINGS, mode: "slope" } }],
    ["The target worked on nothing", { accepted: 0 }],
  ])("has none where there is none: %s", (reason, changes) => {
    expect(findLaw(counted(changes))).toMatchObject({ reason: expect.stringContaining(reason) });
  });
});

describe("findLaw() of a target that was lost", () => {
  it.each(["target-died", "target-restarted"])("has none, from counters or from outside: %s", (code) => {
    const reason = { code, severity: "invalid", message: "It was lost", figure: 1, limit: 0, hint: "" } as const;
    const validity = { verdict: "invalid", reasons: [reason] } as const;
    const lost = { ...counted(), validity: { ...validity, reasons: [...validity.reasons] } };
    const { target, ...uncounted } = lost;
    expect(target?.settings).toBeDefined();
    for (const trial of [lost, uncounted]) {
      expect(findLaw(trial)).toEqual({ reason: "It was lost: there is no law to be read off the trial" });
    }
  });
});

describe("findLaw() from outside", () => {
  const series = (accepted: number, sent: number, seconds = 10): TrialResult["series"] =>
    trialFixture({ durationSeconds: seconds }).series.map((row) => ({ ...row, accepted, sent }));
  const seen = (facts: Partial<TrialResult>): TrialResult => {
    const { target: _target, ...trial } = counted();
    return { ...trial, series: series(100, 300), ...facts };
  };

  it("takes the median of what was accepted in the seconds of overload, and a queue that gives the wait seen", () => {
    const mixed = [...series(100, 300), ...series(40, 40, 3)].map((row, second) => ({ ...row, second }));
    const law = lawOf(seen({ series: mixed, durationSeconds: 13 }));
    // An accepted attempt waited for 240 ms at p90: 24 of 10 ms, itself the last.
    expect(law).toMatchObject({ source: "client", model: "worker", acceptMs: 10, rejectMs: 0, queueMax: 23 });
    expect(law.assumptions).toHaveLength(2);
  });

  it("leaves out the warm-up and a second cut off at the end", () => {
    const { calls, attempts } = counted();
    const rows = series(100, 300).map((row, second) => (second < 4 || second > 8 ? { ...row, accepted: 7 } : row));
    const law = lawOf(seen({ series: rows, durationSeconds: 5.5, warmup: { seconds: 4, calls, attempts } }));
    expect(law.acceptMs).toBe(10);
  });

  it("takes a target that let attempts time out for one that drops what was given up, and says so", () => {
    const generator = { ...GENERATOR, inFlightMax: 77 };
    const law = lawOf(seen({ errors: { timeout: 1_900 }, generator }));
    expect(law).toMatchObject({ model: "worker", acceptMs: 10, queueMax: 77 });
    expect(law.assumptions[1]).toContain("It let attempts time out");
  });

  it.each([
    ["was not overloaded", { attempts: { ...counted().attempts, overloaded: 5 } }],
    ["was overloaded in 2 whole seconds only", { series: series(100, 300, 2) }],
    ["accepted nothing in most of the time", { series: series(0, 300) }],
  ])("has none of a target that %s", (what, facts) => {
    expect(findLaw(seen(facts))).toMatchObject({
      reason: expect.stringContaining(`The target has no counters and ${what}`),
    });
  });
});

const GENERATOR: NonNullable<TrialResult["generator"]> = {
  workers: 1,
  cpuSeconds: 1,
  wallSeconds: 10,
  inFlightMax: 10,
  stealRatio: 0,
  rssMaxBytes: 1,
  stallMaxMs: 0,
  clockJumpMs: 0,
};

describe("twinSpec()", () => {
  it("changes the world and nothing else, with the target's settings and its script", () => {
    const spec = trialSpec({ workers: 2 });
    const law = lawOf(counted());
    const trial = counted({ settings: { ...SETTINGS, retryAfter: 3, reserve: 0.2 } }, { script: "1s..2s:outage" });
    expect(twinSpec(spec, trial, law)).toEqual({
      ...spec,
      arm: "on-twin",
      workers: 1,
      world: {
        kind: "virtual",
        model: {
          name: "worker",
          acceptSeconds: 0.0055,
          rejectSeconds: 0.0019,
          queueMax: 50,
          latencySeconds: 0.0004,
          retryAfterSeconds: 3,
          reserve: 0.2,
        },
        script: [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0 }],
      },
    });
    expect(twinSpec(spec, trial, { ...law, model: "fifo", queueMax: 9 }).world).toMatchObject({
      model: { name: "fifo", workers: 1, serviceSeconds: 0.0055, queueMax: 9, latencySeconds: 0.0004 },
    });
  });

  it("is cold as the target is", () => {
    const cold = { coldCost: 3, warmJobs: 500, warmth: 0.5 };
    const trial = counted({ settings: { ...SETTINGS, ...cold } });
    const law = lawOf(counted());
    for (const model of ["worker", "fifo"] as const) {
      expect(twinSpec(trialSpec(), trial, { ...law, model }).world).toMatchObject({ model: { name: model, cold } });
    }
    expect(twinSpec(trialSpec(), counted(), law).world).not.toHaveProperty("model.cold");
  });
});

describe("compareTwin()", () => {
  it("gives either's figures and their ratio, and a document that the schema accepts", () => {
    const real = counted();
    const twin = trialFixture({ world: "virtual", calls: { ok: 900, throttled: 2_100 }, attempts: { accepted: 900 } });
    const made = compareTwin(real, lawOf(real), twin);
    expect(made).toMatchObject({
      made: true,
      figures: {
        goodput: { real: 100, twin: 90, ratio: 0.9 },
        throttled: { real: 0, twin: 210, ratio: null },
        waste: { twin: 0, ratio: 0 },
        responseOkP50Ms: { real: 2.1, twin: 2.1, ratio: 1 },
      },
    });
    const result: Result = resultFixture([real], { command: "run", twin: made });
    expect(resultSchema.parse(result)).toEqual(result);
  });

  it("has no response time where no call came back ok, and calls nothing against nothing equal", () => {
    const silent = trialFixture({ calls: { ok: 0, failed: 10 }, attempts: { overloaded: 10 } });
    expect(compareTwin(silent, lawOf(counted()), silent)).toMatchObject({
      figures: { goodput: { real: 0, twin: 0, ratio: 1 }, responseOkP99Ms: { real: null, twin: null, ratio: null } },
    });
  });
});

describe("a twin", () => {
  const model: WorkerModelSpec = {
    name: "worker",
    acceptSeconds: 0.005,
    rejectSeconds: 0.0015,
    queueMax: 50,
    latencySeconds: 0.0002,
  };

  it.each([1.5, 2, 3])(
    "made from outside meets the goodput and the load that it was made from, at K = %s",
    async (k) => {
      const spec = trialSpec({
        policy: { name: "sre", options: { k, window: 5 } },
        world: { kind: "virtual", model },
      });
      const original = await executeTrial(spec, UNWATCHED);
      const twin = await executeTrial(twinSpec(spec, original, lawOf(original)), UNWATCHED);
      const made = compareTwin(original, lawOf(original), twin);
      if (!made.made) throw new Error(made.reason);
      for (const name of ["goodput", "sent"] as const) {
        expect(Math.abs((made.figures[name].ratio ?? 0) - 1)).toBeLessThan(0.1);
      }
    },
  );
});
