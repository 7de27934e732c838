/** A capacity that changes steadily, in every server model. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatScript, parseScript } from "../../../src/plan/script.ts";
import { ServerBench } from "../../support/server-bench.ts";

const RAMP = parseScript("0s..8s:capacity=0.25..1");

describe("a ramp of shed", () => {
  const model = { name: "shed", capacity: 1, burst: 1, rejectCost: 0, latencySeconds: 0 } as const;

  it("refills the bucket by the integral of the rate", () => {
    // Empty at 0, and one token later when t / 4 + 3 t^2 / 64 = 1: at 8/3.
    const bench = new ServerBench({ model, script: RAMP });
    expect(bench.sendAt([0, 2.66, 8 / 3 + 1e-9, 8 / 3 + 0.5]).end().statuses).toEqual([200, 503, 200, 503]);
  });

  it("refills as much whenever it is looked at", () => {
    const looks = fc.array(fc.double({ min: 0.001, max: 2.66, noNaN: true }), { maxLength: 30 });
    fc.assert(
      fc.property(looks, (times) => {
        const between = [...times].sort((a, b) => a - b);
        const bench = new ServerBench({ model, script: RAMP }).sendAt([0, ...between, 8 / 3 + 1e-9]).end();
        expect(bench.statuses).toEqual([200, ...between.map(() => 503), 200]);
      }),
    );
  });

  it("begins where the bucket was left by what went before, and leaves it to what comes after", () => {
    // By 2 s the bucket of two holds 2 x 0.25, by 4 s (0.25 + 1) / 2 x 2 more, and then one each second.
    const script = parseScript("0s..2s:capacity=0.25,2s..4s:capacity=0.25..1");
    const wide = { ...model, burst: 2 };
    expect(new ServerBench({ model: wide, script }).sendAt([0, 0, 0, 4, 4.2, 4.3]).end().statuses).toEqual([
      200, 200, 503, 200, 503, 200,
    ]);
  });

  it("counts from before the trial too, and from the beginning of the measured window", () => {
    const bench = new ServerBench({ model, script: RAMP }, 10);
    expect(bench.sendAt([0, 10, 12.66, 10 + 8 / 3 + 1e-9]).end().statuses).toEqual([200, 200, 503, 200]);
    const early = [{ kind: "capacity", fromSeconds: -8, toSeconds: 8, factor: 1e-6, toFactor: 1 }] as const;
    const late = new ServerBench({ model, script: early }, 4).sendAt([0, 1, 3, 6]).end();
    // A sixteenth of the rate a second, from 4/16 at 0: 0.28 by 1 s, 1.03 by 3 s, and 1.6 more by 6 s.
    expect(late.statuses).toEqual([200, 503, 200, 200]);
  });

  it("accepts the integral of its capacity of a flood, however it changes", () => {
    const factor = fc.integer({ min: 1, max: 20 }).map((n) => n / 10);
    const ramp = fc.record({ factor, toFactor: factor, toSeconds: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(ramp, ({ factor, toFactor, toSeconds }) => {
        const script = parseScript(formatScript([{ kind: "capacity", fromSeconds: 0, factor, toFactor, toSeconds }]));
        const flood = Array.from({ length: 1000 * toSeconds }, (_, id) => id / 1000);
        // Of two: nothing runs over before the next arrival.
        const shed = { ...model, capacity: 50, burst: 2 };
        const { statuses } = new ServerBench({ model: shed, script }).sendAt(flood).end();
        const accepted = statuses.filter((status) => status === 200).length;
        expect(Math.abs(accepted - 2 - (50 * toSeconds * (factor + toFactor)) / 2)).toBeLessThan(1.2);
      }),
      { numRuns: 30 },
    );
  });
});

describe("a ramp", () => {
  it.each([{}, { cold: { coldCost: 1, warmJobs: 1, warmth: 0 } }])(
    "gives the work of fifo the capacity of the moment at which it starts: %o",
    (more) => {
      const model = { name: "fifo", workers: 1, serviceSeconds: 1, latencySeconds: 0, ...more } as const;
      expect(new ServerBench({ model, script: RAMP }).sendAt([0, 0.5, 8.5]).end().rows).toEqual([
        [0, 4, 200],
        [1, 4 + 1 / 0.625, 200],
        [2, 9.5, 200],
      ]);
    },
  );

  it("makes slope the less steep the later an attempt arrives", () => {
    const model = { name: "slope", baseSeconds: 0.125, slopeSeconds: 0.25, latencySeconds: 0 } as const;
    expect(new ServerBench({ model, script: RAMP }).sendAt([0, 4, 8]).end().rows).toEqual([
      [0, 1.125, 200],
      [1, 4.125 + 0.25 / 0.625, 200],
      [2, 8.375, 200],
    ]);
  });

  it("has bernoulli accept with the probability of the moment", () => {
    const model = { name: "bernoulli", accept: 0.8, latencySeconds: 0 } as const;
    const times = Array.from({ length: 40_000 }, (_, id) => id / 5000);
    const { answers } = new ServerBench({ model, script: RAMP }).sendAt(times).end();
    const share = (from: number, to: number): number => {
      const asked = answers.filter(({ id }) => (times[id] as number) >= from && (times[id] as number) < to);
      return asked.filter(({ status }) => status === 200).length / asked.length;
    };
    for (const from of [0, 2, 4, 6]) {
      const mean = 0.8 * (0.25 + (0.75 * (from + 1)) / 8);
      expect(Math.abs(share(from, from + 2) - mean)).toBeLessThan(0.02);
    }
  });
});
