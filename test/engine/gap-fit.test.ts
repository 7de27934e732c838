import { describe, expect, it } from "vitest";
import { GapFit, type Gaps, worstGaps } from "../../src/engine/gap-fit.ts";
import type { ArrivalSpec } from "../../src/plan/load.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";

function planSpec(arrival: ArrivalSpec, change: Partial<PlanSpec> = {}): PlanSpec {
  return { seed: 3, arrival, warmupSeconds: 0, durationSeconds: 20, users: 100, ...change };
}

function steady(law: "constant" | "poisson", rps: number): ArrivalSpec {
  return { law, rate: { kind: "constant", rps } };
}

/** When a call is sent that is due at a time. */
type Sending = (dueSeconds: number) => number;

const IN_TIME: Sending = (due) => due;
/** Whatever falls due within 10 ms goes out at its end. */
const EVERY_10_MS: Sending = (due) => (Math.floor(due * 100) + 1) / 100;

function gapsOf(plan: PlanSpec, send: Sending, [shard, shards]: readonly [number, number] = [0, 1]): Gaps {
  const gaps = new GapFit(plan, shard, shards);
  const arrivals = createPlan(plan).arrivals(shard, shards);
  while (arrivals.next()) {
    if (arrivals.timeSeconds >= plan.warmupSeconds) gaps.started(arrivals.timeSeconds, send(arrivals.timeSeconds));
  }
  return gaps.result();
}

const LAWS: readonly [string, ArrivalSpec][] = [
  ["even", steady("constant", 500)],
  ["Poisson", steady("poisson", 500)],
  ["bursty", { law: "bursty", rate: { kind: "constant", rps: 500 }, peak: 5, share: 0.1, burstSeconds: 0.1 }],
  ["sine", { law: "poisson", rate: { kind: "sine", lowRps: 100, highRps: 900, periodSeconds: 5 } }],
  [
    "staged",
    {
      law: "poisson",
      rate: {
        kind: "stages",
        stages: [
          { seconds: 8, fromRps: 50, toRps: 900 },
          { seconds: 4, fromRps: 0, toRps: 0 },
          { seconds: 8, fromRps: 400, toRps: 400 },
        ],
      },
    },
  ],
];

describe("GapFit", () => {
  it.each(LAWS)("finds nothing wrong with %s arrivals that are sent in time", (_name, arrival) => {
    const gaps = gapsOf(planSpec(arrival), IN_TIME);
    expect(gaps).toMatchObject({ jitter: 0, distance: 0 });
    expect(gaps.cv).toBe(gaps.plannedCv);
    expect(gaps.count).toBeGreaterThan(1000);
    if (gaps.law !== undefined) expect(gaps.law.score).toBeLessThan(1.95);
  });

  it.each(LAWS)("sees that %s arrivals go out in bunches of 10 ms", (_name, arrival) => {
    const gaps = gapsOf(planSpec(arrival), EVERY_10_MS);
    expect(gaps.law?.distance ?? gaps.distance).toBeGreaterThan(0.15);
    expect(gaps.jitter).toBeGreaterThan(0.5);
  });

  it("knows the variation of even and of Poisson gaps at any rate profile, and over several workers", () => {
    expect(gapsOf(planSpec(steady("constant", 500)), IN_TIME).cv).toBeLessThan(1e-9);
    for (const [, arrival] of LAWS.filter(([, { law }]) => law === "poisson")) {
      expect(gapsOf(planSpec(arrival), IN_TIME).cv).toBeCloseTo(1, 1);
      const share = gapsOf(planSpec(arrival), IN_TIME, [1, 3]);
      expect(share.cv).toBeCloseTo(1, 1);
      expect(share.law?.score).toBeLessThan(1.95);
    }
  });

  it("looks at stretches of a millisecond where calls come faster than that", () => {
    const gaps = gapsOf(planSpec(steady("poisson", 20_000), { durationSeconds: 5 }), IN_TIME);
    expect(gaps.calls).toBe(20);
    expect(gaps.cv).toBeCloseTo(1 / Math.sqrt(20), 2);
    expect(gaps.law?.score).toBeLessThan(1.95);
    // Sixteen at a time, as the pacer runs them when it is a little behind, are no bunches over a millisecond.
    let sent = 0;
    const inTurns: Sending = (due) => {
      if (due > sent) sent = due + 0.0002;
      return sent;
    };
    expect(gapsOf(planSpec(steady("constant", 20_000), { durationSeconds: 5 }), inTurns).distance).toBeLessThan(0.1);
  });

  it("is not upset by a lateness that is the same for all, nor by one stall", () => {
    const late = gapsOf(planSpec(steady("poisson", 500)), (due) => due + 0.5);
    expect(late.distance).toBe(0);
    const stalled = gapsOf(planSpec(steady("constant", 500)), (due) => (due > 3 && due < 3.1 ? 3.1 : due));
    expect(stalled.distance).toBeLessThan(0.01);
    expect(stalled.jitter).toBeGreaterThan(0.3);
  });

  it("tells no gap over a call that was given up", () => {
    const gaps = new GapFit(planSpec(steady("constant", 500)), 0, 1);
    gaps.started(0.002, 0.002);
    gaps.started(0.004, 0.004);
    gaps.skipped();
    gaps.started(0.1, 0.1);
    expect(gaps.result().count).toBe(1);
    gaps.started(0.102, 0.102);
    expect(gaps.result()).toMatchObject({ count: 2, distance: 0 });
  });

  it("counts from the beginning of the measured window, and holds a recording to its own gaps", () => {
    const timesSeconds = Float64Array.from({ length: 4000 }, (_, i) => Math.floor(i / 4) / 40 + (i % 4) * 0.0001);
    const replay = planSpec(
      { law: "replay", timesSeconds, owners: undefined },
      { warmupSeconds: 5, durationSeconds: 20 },
    );
    const gaps = gapsOf(replay, IN_TIME);
    expect(gaps).toMatchObject({ count: 3199, distance: 0 });
    expect(gaps.cv).toBeGreaterThan(1.5);
    expect(gaps.law).toBeUndefined();
    expect(gapsOf(replay, (due) => due + 0.00002 * Math.abs(Math.sin(1e6 * due))).distance).toBe(0);
    expect(gapsOf(replay, (due) => Math.floor(due * 10) / 10).distance).toBeGreaterThan(0.1);
  });

  it("is empty when no call was started", () => {
    const { law, ...rest } = new GapFit(planSpec(steady("poisson", 10)), 0, 1).result();
    expect(rest).toEqual({ count: 0, calls: 1, cv: 0, plannedCv: 0, jitter: 0, distance: 0 });
    expect(law).toEqual({ distance: 0, score: 0 });
  });
});

describe("worstGaps()", () => {
  const even: Gaps = { count: 10, calls: 1, cv: 0, plannedCv: 0, jitter: 0, distance: 0.1 };

  it("is that of the worker whose gaps are farthest from the plan, or from the law", () => {
    expect(worstGaps([even, { ...even, distance: 0.4 }, even])?.distance).toBe(0.4);
    const poisson = (score: number): Gaps => ({ ...even, law: { distance: score / 100, score } });
    expect(worstGaps([poisson(1), poisson(5), { ...poisson(2), distance: 0.9 }])?.law?.score).toBe(5);
    // More gaps make a small distance the more significant one: it is the size that counts.
    const many = { ...even, law: { distance: 0.02, score: 20 } };
    expect(worstGaps([many, poisson(5), many])?.law?.distance).toBe(0.05);
    expect(worstGaps([])).toBeUndefined();
  });
});
