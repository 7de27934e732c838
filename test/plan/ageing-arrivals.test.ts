import { describe, expect, it } from "vitest";
import { ageingArrivals, pastRps } from "../../src/plan/ageing-arrivals.ts";
import type { ArrivalCursor } from "../../src/plan/arrivals.ts";
import type { ArrivalSpec, RateSpec } from "../../src/plan/load.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";

const PLAN: PlanSpec = {
  seed: 7,
  arrival: { law: "poisson", rate: { kind: "constant", rps: 200 } },
  warmupSeconds: 0,
  durationSeconds: 60,
  users: 20,
};

function plan(arrival: ArrivalSpec, own: Partial<PlanSpec> = {}): PlanSpec {
  return { ...PLAN, arrival, ...own };
}

function walked(arrivals: ArrivalCursor): { readonly seconds: number; readonly user: number }[] {
  const all: { seconds: number; user: number }[] = [];
  while (arrivals.next()) all.push({ seconds: arrivals.timeSeconds, user: arrivals.user });
  return all;
}

describe("ageingArrivals", () => {
  it("come in the seconds before the plan's own, in order, by its users", () => {
    const past = walked(ageingArrivals(PLAN, 30, 0, 1));
    expect(past.every(({ seconds }) => seconds >= -30 && seconds < 0)).toBe(true);
    expect(past.map(({ seconds }) => seconds)).toEqual(past.map(({ seconds }) => seconds).toSorted((a, b) => a - b));
    expect(new Set(past.map(({ user }) => user)).size).toBe(20);
    // Mean 6,000, standard deviation 77.
    expect(Math.abs(past.length - 6000)).toBeLessThan(350);
  });

  it("are the same for the same seed, and none of the plan's own gaps", () => {
    const gaps = (all: readonly { readonly seconds: number }[]): number[] =>
      all.slice(1).map(({ seconds }, i) => Math.round(1e9 * (seconds - (all[i]?.seconds ?? 0))));
    const past = walked(ageingArrivals(PLAN, 30, 0, 1));
    expect(walked(ageingArrivals(PLAN, 30, 0, 1))).toEqual(past);
    const measured = new Set(gaps(walked(createPlan(PLAN).arrivals())));
    const warmup = new Set(
      gaps(walked(createPlan({ ...PLAN, warmupSeconds: 30 }).arrivals()).filter(({ seconds }) => seconds < 30)),
    );
    const shared = gaps(past).filter((gap) => measured.has(gap) || warmup.has(gap));
    // Of some thousand gaps in some ten million billionths of a second a few meet by chance.
    expect(shared.length).toBeLessThan(past.length / 20);
  });

  it("are split over shards by their users, and are together the whole", () => {
    const parts = [0, 1, 2].map((shard) => walked(ageingArrivals(PLAN, 10, shard, 3)));
    for (const [shard, part] of parts.entries()) expect(part.every(({ user }) => user % 3 === shard)).toBe(true);
    const together = parts.flat().toSorted((a, b) => a.seconds - b.seconds);
    expect(together).toEqual(walked(ageingArrivals(PLAN, 10, 0, 1)));
  });

  it("are evenly spaced, to the rounding, where the plan's are", () => {
    const past = walked(ageingArrivals(plan({ law: "constant", rate: { kind: "constant", rps: 10 } }), 3, 0, 1));
    expect(past).toHaveLength(30);
    expect(past[0]).toEqual({ seconds: -3, user: 0 });
    expect(past[29]?.seconds).toBeCloseTo(-0.1, 9);
  });

  const RATES: readonly (readonly [string, RateSpec, number])[] = [
    ["a constant one", { kind: "constant", rps: 50 }, 50],
    ["that of the first stage", { kind: "stages", stages: [{ seconds: 60, fromRps: 30, toRps: 300 }] }, 30],
    ["the mean of a sine", { kind: "sine", lowRps: 0, highRps: 90, periodSeconds: 60 }, 45],
  ];
  it.each(RATES)("have the rate with which the plan begins: %s", (_what, rate, rps) => {
    expect(pastRps(plan({ law: "poisson", rate }))).toBe(rps);
    const { length } = walked(ageingArrivals(plan({ law: "poisson", rate }), 60, 0, 1));
    expect(Math.abs(length - 60 * rps)).toBeLessThan(5 * Math.sqrt(60 * rps));
  });

  it("are as bursty as the plan's", () => {
    const bursty = plan({
      law: "bursty",
      rate: { kind: "constant", rps: 200 },
      peak: 5,
      share: 0.1,
      burstSeconds: 0.5,
    });
    const perSecond = new Array<number>(400).fill(0);
    for (const { seconds } of walked(ageingArrivals(bursty, 400, 0, 1))) {
      const second = Math.floor(seconds) + 400;
      perSecond[second] = (perSecond[second] ?? 0) + 1;
    }
    const mean = perSecond.reduce((sum, count) => sum + count, 0) / 400;
    const variance = perSecond.reduce((sum, count) => sum + (count - mean) ** 2, 0) / 399;
    // 1 for Poisson; 1 + 2 m b p (peak - 1)^2 = 161 in the long run, half of that over a second.
    expect(variance / mean).toBeGreaterThan(20);
  });

  it("are of a replay Poisson arrivals at its mean rate over the measured window", () => {
    const timesSeconds = Float64Array.from({ length: 600 }, (_, i) => (i < 100 ? i / 20 : 5 + (i - 100) / 50));
    const replayed = plan(
      { law: "replay", timesSeconds, owners: undefined },
      { warmupSeconds: 5, durationSeconds: 10 },
    );
    expect(pastRps(replayed)).toBe(50);
    const past = walked(ageingArrivals(replayed, 100, 0, 1));
    expect(Math.abs(past.length - 5000)).toBeLessThan(350);
    expect(new Set(past.map(({ seconds }, i) => seconds - (past[i - 1]?.seconds ?? 0))).size).toBe(past.length);
  });

  it.each([
    [0, PLAN, "'age' must be longer than nothing"],
    [-1, PLAN, "'age' must be longer than nothing"],
    [Number.NaN, PLAN, "'age' must be longer than nothing"],
    [
      10,
      plan({ law: "poisson", rate: { kind: "stages", stages: [{ seconds: 60, fromRps: 0, toRps: 10 }] } }),
      "'age' must be 0 where the load begins at rate 0",
    ],
  ])("refuse %d s of a plan that has none", (seconds, spec, rule) => {
    expect(() => ageingArrivals(spec, seconds, 0, 1)).toThrow(
      new RangeError(`Cannot plan as ${rule}: current value is ${seconds}`),
    );
  });
});
