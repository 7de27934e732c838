import { describe, expect, it } from "vitest";
import type { ArrivalSpec, Stage } from "../../src/plan/load.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import { collect, timesOf } from "./collect.ts";
import { bursty, constant, poisson } from "./specs.ts";

const STAGES: readonly Stage[] = [
  { seconds: 3, fromRps: 200, toRps: 200 },
  { seconds: 3, fromRps: 0, toRps: 400 },
];

function plan(
  arrival: ArrivalSpec,
  warmupSeconds: number,
  change: Partial<PlanSpec> = {},
): ReturnType<typeof createPlan> {
  return createPlan({ seed: 1, arrival, warmupSeconds, durationSeconds: 6, users: 7, ...change });
}

function countFrom(times: readonly number[], from: number, to: number): number {
  return times.filter((time) => time >= from && time < to).length;
}

describe("a plan with a warm-up", () => {
  it.each<[string, ArrivalSpec]>([
    ["constant", constant(99.9)],
    ["Poisson", poisson(100)],
    ["bursty", bursty(100)],
    ["staged constant", { law: "constant", rate: { kind: "stages", stages: STAGES } }],
    ["staged Poisson", { law: "poisson", rate: { kind: "stages", stages: STAGES } }],
    ["sine", { law: "poisson", rate: { kind: "sine", lowRps: 0, highRps: 200, periodSeconds: 2 } }],
  ])("%s: the measured window is the plan without a warm-up, arrival by arrival", (_name, arrival) => {
    const cold = collect(plan(arrival, 0).arrivals());
    const warm = collect(plan(arrival, 4).arrivals());
    const measured = warm.slice(warm.length - cold.length);
    expect(measured).toEqual(cold.map(([time, user]) => [4 + time, user]));
    const before = warm.slice(0, warm.length - cold.length);
    expect(before.length).toBeGreaterThan(30);
    expect(before.every(([time], i) => time >= (before[i - 1]?.[0] ?? 0) && time < 4)).toBe(true);
  });

  it.each([0.1, 0.5, 1, 7, 70, 78, 99.9, 1_000, 12_345])(
    "constant at %d/s: the count is exact in both parts",
    (rps) => {
      for (const warmupSeconds of [1, 3, 10]) {
        const made = plan(constant(rps), warmupSeconds, { durationSeconds: 20 });
        const times = timesOf(made.arrivals());
        // Where warm-up x rate is not whole, the arrival that is under way at its end has its place in the warm-up.
        const warm = Math.ceil(Math.round(rps * warmupSeconds * 1e6) / 1e6);
        expect(countFrom(times, 0, warmupSeconds)).toBe(warm);
        expect(countFrom(times, warmupSeconds, warmupSeconds + 20)).toBe(Math.round(rps * 20));
        expect(made.expectedMeasured).toBe(Math.round(rps * 20));
        expect([made.expectedArrivals, times.length]).toEqual([
          warm + Math.round(rps * 20),
          warm + Math.round(rps * 20),
        ]);
      }
    },
  );

  it("constant: gaps stay even over the boundary where warm-up x rate is whole", () => {
    const times = timesOf(plan(constant(7), 3).arrivals());
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number));
    expect(gaps.every((gap) => Math.abs(gap - 1 / 7) < 1e-12)).toBe(true);
  });

  it("runs at the rate with which the load begins: of stages the first, of a wave the mean", () => {
    const staged = timesOf(plan({ law: "constant", rate: { kind: "stages", stages: STAGES } }, 2).arrivals());
    expect(countFrom(staged, 0, 2)).toBe(400);
    expect(staged[1]).toBe(1 / 200);
    const wave = timesOf(
      plan({ law: "constant", rate: { kind: "sine", lowRps: 100, highRps: 300, periodSeconds: 2 } }, 2).arrivals(),
    );
    expect(countFrom(wave, 0, 2)).toBe(400);
  });

  it("draws its own numbers: other gaps than the measured window's", () => {
    const warm = timesOf(plan(poisson(100), 6).arrivals());
    const count = countFrom(warm, 0, 6);
    expect(warm.slice(0, 10)).not.toEqual(warm.slice(count, count + 10).map((time) => time - 6));
    expect(Math.abs(count - 600) / Math.sqrt(600)).toBeLessThan(4);
    expect(plan(poisson(100), 6).expectedArrivals).toBe(1_200);
  });
});
