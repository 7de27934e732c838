import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecorrelatedJitterBackoff } from "../../../src/policy/backoff/decorrelated-jitter-backoff.ts";
import { DecorrelatedV2Backoff } from "../../../src/policy/backoff/decorrelated-v2-backoff.ts";
import { EqualJitterBackoff } from "../../../src/policy/backoff/equal-jitter-backoff.ts";
import { ExponentialBackoff } from "../../../src/policy/backoff/exponential-backoff.ts";
import { FullJitterBackoff } from "../../../src/policy/backoff/full-jitter-backoff.ts";
import { grown } from "../../../src/policy/backoff/growth.ts";
import { GrpcBackoff } from "../../../src/policy/backoff/grpc-backoff.ts";
import { exponential } from "../../../src/policy/exponential.ts";
import type { Backoff } from "../../../src/policy/parts.ts";
import { ScriptedRandom } from "../fakes.ts";

/** The delays of one call, one for each number drawn. */
function delaysOf(backoff: Backoff, draws: readonly number[]): number[] {
  const jitter = new ScriptedRandom(...draws);
  let previous = 0;
  return draws.map((_, retry) => {
    const delay = backoff.delaySeconds(retry, previous, jitter);
    previous = backoff.carry ?? delay;
    return delay;
  });
}

const BOUNDS = { base: 0.125, cap: 3 };

describe("backoffs, with base 0.125 s and cap 3 s (by hand from the formulas of each class)", () => {
  it.each([
    ["exponential", ExponentialBackoff, [0, 0, 0, 0, 0, 0], [0.125, 0.25, 0.5, 1, 2, 3]],
    ["full jitter", FullJitterBackoff, [0.5, 0.25, 0, 0.75, 0.5, 0.5], [0.0625, 0.0625, 0, 0.75, 1, 1.5]],
    ["equal jitter", EqualJitterBackoff, [0.5, 0.25, 0, 0.75, 0.5, 0.5], [0.09375, 0.15625, 0.25, 0.875, 1.5, 2.25]],
    // 0.125 + (3 x 0.125 - 0.125) / 2 = 0.25; 0.125 + (0.75 - 0.125) / 2 = 0.4375; + (1.3125 - 0.125) / 2; ...
    [
      "decorrelated jitter",
      DecorrelatedJitterBackoff,
      [0.5, 0.5, 0.5, 0, 0.5, 0.5],
      [0.25, 0.4375, 0.71875, 0.125, 0.25, 0.4375],
    ],
    [
      "decorrelated jitter at its cap",
      DecorrelatedJitterBackoff,
      [0.75, 0.75, 0.75, 0.75],
      [0.3125, 0.734375, 1.68359375, 3],
    ],
  ] as const)("%s", (_, Class, draws, delays) => {
    expect(delaysOf(new Class(BOUNDS), draws)).toEqual(delays);
  });

  it("gRPC's: the jitter of a fifth comes after the cap", () => {
    const backoff = new GrpcBackoff({ initialBackoff: 0.125, maxBackoff: 1, backoffMultiplier: 2 });
    expect(delaysOf(backoff, [0.5, 0.5, 0.5, 0.5, 0.5])).toEqual([0.125, 0.25, 0.5, 1, 1]);
    expect(delaysOf(backoff, [0, 0])).toEqual([0.1, 0.2]);
    expect(backoff.delaySeconds(9, 0, new ScriptedRandom(0))).toBe(0.8);
    expect(backoff.delaySeconds(9, 0, new ScriptedRandom(1 - 2 ** -53))).toBeCloseTo(1.2, 12);
  });

  it("version 2: six digits worked out from the sources' formula with base 1.4 s, then the cap", () => {
    // x = 2^t tanh(sqrt(4 t)), in decimal arithmetic: x(0.5) = 1.256367, x(1.5) = 2.786572, x(2.5) = 5.636619, ...
    const delays = delaysOf(new DecorrelatedV2Backoff({ base: 1.4, cap: 5 }), [0.5, 0.5, 0.5, 0.5, 0.5]);
    expect(delays.map((delay) => Number(delay.toFixed(6)))).toEqual([1.256367, 1.530205, 2.850047, 5, 5]);
  });

  it("version 2 carries what the cap does not touch: a short delay may follow a capped one", () => {
    const backoff = new DecorrelatedV2Backoff({ base: 1.4, cap: 1 });
    const [capped, short] = [0.999, 0.0005].map((draw, index) => {
      const retry = index + 3;
      return backoff.delaySeconds(retry, index === 0 ? 4 : backoff.carry, new ScriptedRandom(draw));
    });
    expect(capped).toBe(1);
    expect(short).toBeCloseTo(0.02, 2);
  });

  it("version 2 agrees with the platform's own functions to 12 digits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 60 }),
        (draws) => {
          let previous = 0;
          const expected = draws.map((draw, retry) => {
            const t = retry + draw;
            const value = 2 ** t * Math.tanh(Math.sqrt(4 * t));
            const delay = Math.min(((value - previous) / 1.4) * 0.128, 86_400);
            previous = value;
            return delay;
          });
          const delays = delaysOf(new DecorrelatedV2Backoff({ cap: 86_400 }), draws);
          for (const [retry, delay] of delays.entries()) {
            // A difference of two values near 2^n: rounding is relative to those.
            expect(Math.abs(delay - (expected[retry] as number))).toBeLessThan(1e-12 * 2 ** retry);
          }
        },
      ),
    );
  });

  it.each([
    ExponentialBackoff,
    FullJitterBackoff,
    EqualJitterBackoff,
    DecorrelatedJitterBackoff,
    DecorrelatedV2Backoff,
  ])("%o refuses options out of their bounds", (Class) => {
    expect(() => new Class({ base: -1 })).toThrow(
      `Cannot create ${Class.name} as 'base' must be a finite number of seconds from 0 to 86400: current value is -1`,
    );
    expect(() => new Class({ cap: Number.NaN })).toThrow(RangeError);
  });
});

describe("every backoff", () => {
  const classes = [
    ["exponential", ExponentialBackoff],
    ["full", FullJitterBackoff],
    ["equal", EqualJitterBackoff],
    ["decorrelated", DecorrelatedJitterBackoff],
    ["v2", DecorrelatedV2Backoff],
  ] as const;
  const seconds = fc.double({ min: 0, max: 86_400, noNaN: true });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it.each(classes)(
    "%s gives a finite delay within [0, cap] for retries 0 to 5,000 and any delay before",
    (_, Class) => {
      fc.assert(
        fc.property(seconds, seconds, fc.nat(5000), chance, chance, (base, cap, retry, share, draw) => {
          const delay = new Class({ base, cap }).delaySeconds(retry, share * cap, new ScriptedRandom(draw));
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(cap);
        }),
        { numRuns: 500 },
      );
    },
  );

  it.each(classes)("%s stays within [0, cap] through 5,000 retries of one call", (_, Class) => {
    const backoff: Backoff = new Class({ base: 0.125, cap: 30 });
    let draw = 0;
    const jitter = {
      random: () => {
        draw = (draw + 0.618_033_988_75) % 1;
        return draw;
      },
    };
    let previous = 0;
    let longest = 0;
    for (let retry = 0; retry <= 5000; retry++) {
      const delay = backoff.delaySeconds(retry, previous, jitter);
      previous = backoff.carry ?? delay;
      expect(delay >= 0 && delay <= 30).toBe(true);
      longest = Math.max(longest, delay);
    }
    expect(longest).toBeGreaterThan(29);
  });

  it("gRPC's stays within 1.2 x maxBackoff for any multiplier", () => {
    fc.assert(
      fc.property(seconds, seconds, fc.double({ min: 0, max: 1000, noNaN: true }), fc.nat(5000), chance, (...given) => {
        const [initialBackoff, maxBackoff, backoffMultiplier, retry, draw] = given;
        const backoff = new GrpcBackoff({ initialBackoff, maxBackoff, backoffMultiplier });
        const delay = backoff.delaySeconds(retry, 0, new ScriptedRandom(draw));
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(1.2000000000000002 * maxBackoff);
      }),
    );
  });

  it.each([
    ["full", FullJitterBackoff, 1],
    ["equal", EqualJitterBackoff, 1],
    ["decorrelated", DecorrelatedJitterBackoff, 1],
    ["v2", DecorrelatedV2Backoff, 1],
  ] as const)("%s draws one number a delay, at any retry", (_, Class, draws) => {
    for (const retry of [0, 1, 1024, 5000]) {
      const jitter = new ScriptedRandom(0.5);
      new Class().delaySeconds(retry, 1, jitter);
      expect(jitter.draws).toBe(draws);
    }
  });
});

describe("grown()", () => {
  it.each([
    [1, 2, 0, 100, 1],
    [1, 2, 6, 100, 64],
    [1, 2, 7, 100, 100],
    [1, 2, 5000, 100, 100],
    [1, 2, Number.MAX_SAFE_INTEGER, 100, 100],
    [0, 2, Number.MAX_SAFE_INTEGER, 100, 0],
    [1, 1, Number.MAX_SAFE_INTEGER, 100, 1],
    [5, 2, 0, 3, 3],
    [1, 2, 1023, Number.MAX_VALUE, 2 ** 1023],
  ])("%f x %f^%f, cap %f, is %f", (base, factor, times, cap, value) => {
    expect(grown(base, factor, times, cap)).toBe(value);
  });
});

describe("exponential()", () => {
  it("is e^x to 13 digits", () => {
    fc.assert(
      fc.property(fc.double({ min: -45, max: 45, noNaN: true }), (x) => {
        expect(Math.abs(exponential(x) / Math.exp(x) - 1)).toBeLessThan(1e-13);
      }),
    );
    expect(exponential(0)).toBe(1);
  });
});
