import { describe, expect, it } from "vitest";
import type { Stage } from "../../src/plan/load.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import { bursty, constant, poisson, replay } from "./specs.ts";

const PLAN: PlanSpec = { seed: 1, arrival: poisson(2_000), warmupSeconds: 0, durationSeconds: 30, users: 100 };
const HOLD: Stage = { seconds: 30, fromRps: 10, toRps: 10 };

function staged(...stages: Stage[]): unknown {
  return { arrival: { law: "poisson", rate: { kind: "stages", stages } } };
}

function sine(change: object): unknown {
  return { arrival: { law: "poisson", rate: { kind: "sine", lowRps: 1, highRps: 2, periodSeconds: 10, ...change } } };
}

function bursts(change: object): unknown {
  return { arrival: { ...bursty(2_000), ...change } };
}

const RPS = "'rps' must be a number above 0 and at most 1000000";
const DURATION = "'durationSeconds' must be a number above 0 and at most 1000000000";
const WARMUP = "'warmupSeconds' must be a whole number from 0 to 1000000000";
const USERS = "'users' must be a whole number from 1 to 10000000";
const SEED = "'seed' must be a non-negative safe integer";

describe("createPlan", () => {
  it.each<[unknown, string]>([
    [{ arrival: poisson(-1) }, `${RPS}: current value is -1`],
    [{ arrival: poisson(0) }, `${RPS}: current value is 0`],
    [{ arrival: constant(Number.NaN) }, `${RPS}: current value is NaN`],
    [{ arrival: bursty(1_000_001) }, `${RPS}: current value is 1000001`],
    [{ durationSeconds: 0 }, `${DURATION}: current value is 0`],
    [{ durationSeconds: Number.POSITIVE_INFINITY }, `${DURATION}: current value is Infinity`],
    [{ warmupSeconds: -1 }, `${WARMUP}: current value is -1`],
    [{ warmupSeconds: 0.5 }, `${WARMUP}: current value is 0.5`],
    [{ warmupSeconds: Number.NaN }, `${WARMUP}: current value is NaN`],
    [{ users: 0 }, `${USERS}: current value is 0`],
    [{ users: 1.5 }, `${USERS}: current value is 1.5`],
    [{ users: 10_000_001 }, `${USERS}: current value is 10000001`],
    [{ seed: -1 }, `${SEED}: current value is -1`],
    [{ seed: 0.5 }, `${SEED}: current value is 0.5`],
    [{ seed: 2 ** 53 }, `${SEED}: current value is 9007199254740992`],
    [
      { arrival: { law: "pareto" } },
      `'arrival' must be one of constant, poisson, bursty, replay: current value is "pareto"`,
    ],
    [
      { arrival: { law: "poisson", rate: { kind: "ramp" } } },
      `'rate' must be one of constant, stages, sine: current value is "ramp"`,
    ],
    [staged(), "'stages' must be 1 to 10000 in number: current value is 0"],
    [
      staged(...Array.from({ length: 10_001 }, () => HOLD)),
      "'stages' must be 1 to 10000 in number: current value is 10001",
    ],
    [
      staged(HOLD, { ...HOLD, seconds: 0 }),
      "'stages[1].seconds' must be a number above 0 and at most 1000000000: current value is 0",
    ],
    [staged({ ...HOLD, fromRps: -1 }), "'stages[0].fromRps' must be a number from 0 to 1000000: current value is -1"],
    [
      staged({ ...HOLD, toRps: Number.NaN }),
      "'stages[0].toRps' must be a number from 0 to 1000000: current value is NaN",
    ],
    [staged({ seconds: 30, fromRps: 0, toRps: 0 }), "'stages' must reach a rate above 0: current value is 0"],
    [staged(HOLD, HOLD), "'stages' must last 'durationSeconds' together, which is 30: current value is 60"],
    [sine({ lowRps: -1 }), "'lowRps' must be a number from 0 to 1000000: current value is -1"],
    [
      sine({ lowRps: 2 }),
      "'highRps' must be a number above 'lowRps', which is 2, and at most 1000000: current value is 2",
    ],
    [
      sine({ highRps: Number.POSITIVE_INFINITY }),
      "'highRps' must be a number above 'lowRps', which is 1, and at most 1000000: current value is Infinity",
    ],
    [sine({ periodSeconds: 0 }), "'periodSeconds' must be a number above 0 and at most 1000000000: current value is 0"],
    [bursts({ peak: 1 }), "'peak' must be a number above 1: current value is 1"],
    [
      bursts({ peak: 501 }),
      "'peak' must be a number that keeps bursts, of a rate of 2000 per second, at most at 1000000 per second: current value is 501",
    ],
    [bursts({ share: 0 }), "'share' must be a number above 0 and at most 1 / 'peak': current value is 0"],
    [bursts({ share: 0.21 }), "'share' must be a number above 0 and at most 1 / 'peak': current value is 0.21"],
    [
      bursts({ burstSeconds: 0 }),
      "'burstSeconds' must be a number from 0.001 to 1000000000, at this rate: current value is 0",
    ],
    [
      { arrival: { ...bursty(0.001), burstSeconds: 0.001 } },
      "'burstSeconds' must be a number from 0.01 to 1000000000, at this rate: current value is 0.001",
    ],
    [{ arrival: replay([]) }, "'timesSeconds' must hold at least one arrival: current value is 0"],
    [{ arrival: replay([-1]) }, "'timesSeconds[0]' must be a finite number that is at least 0: current value is -1"],
    [
      { arrival: replay([1, 3, 2]) },
      "'timesSeconds[2]' must be a finite number that is at least 3: current value is 2",
    ],
    [
      { arrival: replay([1, Number.NaN]) },
      "'timesSeconds[1]' must be a finite number that is at least 1: current value is NaN",
    ],
    [
      { arrival: replay([Number.POSITIVE_INFINITY]) },
      "'timesSeconds[0]' must be a finite number that is at least 0: current value is Infinity",
    ],
    [{ arrival: replay([1, 2], [1]) }, "'owners' must be as many as 'timesSeconds', which are 2: current value is 1"],
    [
      { warmupSeconds: 5, ...(staged({ ...HOLD, fromRps: 0 }) as object) },
      "'warmupSeconds' must be 0 where the load begins at rate 0: current value is 5",
    ],
  ])("createPlan() refuses %j with the rule and the value", (fault, message) => {
    expect(() => createPlan({ ...PLAN, ...(fault as object) } as PlanSpec)).toThrow(
      new RangeError(`Cannot plan as ${message}`),
    );
  });

  it("createPlan() takes what is just within the rules", () => {
    const within: Partial<PlanSpec>[] = [
      { arrival: poisson(1_000_000), durationSeconds: 1_000_000_000 },
      { arrival: { ...bursty(2_000), share: 0.2 } },
      { arrival: { ...bursty(200_000), burstSeconds: 0.001 } },
      { arrival: replay([0, 0, 1e9]) },
      { warmupSeconds: 5, ...(staged(HOLD) as object) },
      staged({ ...HOLD, seconds: 10 }, { seconds: 20, fromRps: 0, toRps: 0 }) as Partial<PlanSpec>,
    ];
    for (const change of within)
      expect(
        createPlan({ ...PLAN, ...change })
          .arrivals()
          .next(),
      ).toBe(true);
  });

  it("createPlan() takes stages whose lengths were added up in any order", () => {
    const stages = Array.from({ length: 1_000 }, (_, i) => ({ ...HOLD, seconds: 0.1 + i / 1_000 }));
    const forwards = stages.reduce((sum, { seconds }) => sum + seconds, 0);
    const backwards = stages.reduceRight((sum, { seconds }) => sum + seconds, 0);
    for (const durationSeconds of [forwards, backwards]) {
      expect(createPlan({ ...PLAN, durationSeconds, ...(staged(...stages) as object) }).expectedArrivals).toBe(5_995);
    }
  });
});
