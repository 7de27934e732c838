import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ScheduledTrial, scheduleTrials } from "../../src/experiment/schedule.ts";

const SEED = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const ARMS = fc
  .integer({ min: 1, max: 12 })
  .map((count) => Array.from({ length: count }, (_, index) => `arm ${index}`));
const PAIRS = fc.integer({ min: 0, max: 21 });

/** The arms of each pair, in their order. */
function orders(trials: readonly ScheduledTrial[], pairs: number): readonly (readonly string[])[] {
  return Array.from({ length: pairs }, (_, pair) =>
    trials.filter((trial) => trial.pair === pair).map(({ arm }) => arm),
  );
}

describe("scheduleTrials()", () => {
  it("runs each arm once in each pair, pair after pair", () => {
    fc.assert(
      fc.property(ARMS, PAIRS, SEED, (arms, pairs, seed) => {
        const trials = scheduleTrials(arms, pairs, seed);
        expect(trials).toEqual(orders(trials, pairs).flatMap((order, pair) => order.map((arm) => ({ arm, pair }))));
        for (const order of orders(trials, pairs)) expect(order.toSorted()).toEqual(arms.toSorted());
      }),
    );
  });

  it("has each arm as early as late: over an even number of pairs all come at the same place on the average", () => {
    fc.assert(
      fc.property(ARMS, PAIRS, SEED, (arms, pairs, seed) => {
        const all = orders(scheduleTrials(arms, 2 * pairs, seed), 2 * pairs);
        for (const arm of arms) {
          const places = all.reduce((sum, order) => sum + order.indexOf(arm), 0);
          expect(places).toBe(pairs * (arms.length - 1));
        }
      }),
    );
  });

  it("is the same for the same seed, and that of the first pairs when there are more", () => {
    fc.assert(
      fc.property(ARMS, PAIRS, PAIRS, SEED, (arms, pairs, more, seed) => {
        const longer = scheduleTrials(arms, pairs + more, seed);
        expect(scheduleTrials(arms, pairs, seed)).toEqual(longer.slice(0, arms.length * pairs));
      }),
    );
  });

  it("lets chance say which arm is the first of a block: of 1000 blocks each of three in 280 to 390", () => {
    const counts = new Map<string, number>();
    for (const { arm, pair } of firsts(["a", "b", "c"], 2000, 7))
      if (pair % 2 === 0) counts.set(arm, (counts.get(arm) ?? 0) + 1);
    expect([...counts.keys()].toSorted()).toEqual(["a", "b", "c"]);
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(280);
      expect(count).toBeLessThan(390);
    }
  });

  it("has exactly this order for seed 1", () => {
    const text = scheduleTrials(["off", "on"], 6, 1)
      .map(({ arm, pair }) => `${arm}${pair}`)
      .join(" ");
    expect(text).toBe("off0 on0 on1 off1 on2 off2 off3 on3 on4 off4 off5 on5");
  });
});

function firsts(arms: readonly string[], pairs: number, seed: number): readonly ScheduledTrial[] {
  return scheduleTrials(arms, pairs, seed).filter((_, index) => index % arms.length === 0);
}
