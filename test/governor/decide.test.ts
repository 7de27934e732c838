import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, type WindowEvidence } from "../../src/governor/decide.ts";
import { MEMORY_CLEAR_STREAK, memoryClearStep } from "../../src/governor/memory-clear-step.ts";
import { readGolden } from "../policy/fakes.ts";

interface DecideVector extends WindowEvidence {
  readonly decision: "up" | "down" | "hold";
  readonly offer: number;
}

interface MemoryVector {
  readonly streak: number;
  readonly evidence: boolean;
  readonly nextStreak: number;
  readonly clears: boolean;
}

const vectors = readGolden<{
  readonly decide: readonly DecideVector[];
  readonly memoryClearStep: readonly MemoryVector[];
}>("governor.json");

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const amount = fc.double({ min: 1e-3, max: 1e6, noNaN: true });

/** Evidence whose offer is within its bounds, and whose fraction may be anything. */
const evidence: fc.Arbitrary<WindowEvidence> = fc
  .record({
    frac: fc.oneof(fraction, fc.constant(Number.NaN)),
    bounds: fc.tuple(fraction, fraction),
    offers: fc.tuple(amount, amount, fc.oneof(amount, fc.constant(Number.POSITIVE_INFINITY))),
    lastBad: fc.oneof(amount, fc.constantFrom(null, undefined)),
  })
  .map(({ frac, bounds, offers, lastBad }) => {
    const [low, high] = bounds.toSorted((a, b) => a - b) as [number, number];
    const [floor, current, ceiling] = offers.toSorted((a, b) => a - b) as [number, number, number];
    return { frac, current, high, low, floor, ceiling, lastBad };
  });

describe("decide", () => {
  it("has 17 recorded decisions", () => {
    expect(vectors.decide.length).toBe(17);
  });

  it.each(vectors.decide)("decide() of $frac at $current, failed before at $lastBad: $decision to $offer", (vector) => {
    expect(decide(vector)).toEqual({ kind: vector.decision, offer: vector.offer });
  });

  it("decide() never leaves the bounds, moves only in the direction that it names, and holds exactly", () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const { kind, offer } = decide(given);
        expect(offer).toBeGreaterThanOrEqual(given.floor);
        expect(offer).toBeLessThanOrEqual(given.ceiling);
        if (kind === "up") expect(offer).toBeGreaterThan(given.current);
        if (kind === "down") expect(offer).toBeLessThan(given.current);
        if (kind === "hold") expect(offer).toBe(given.current);
      }),
    );
  });

  it("decide() lowers only above `high` and raises only below `low`; the bounds themselves hold", () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const { kind } = decide(given);
        if (kind === "down") expect(given.frac).toBeGreaterThan(given.high);
        if (kind === "up") expect(given.frac).toBeLessThan(given.low);
        expect(decide({ ...given, frac: given.high }).kind).toBe("hold");
        expect(decide({ ...given, frac: given.low }).kind).toBe("hold");
      }),
    );
  });

  it("decide() holds when no attempt ended, whatever is remembered", () => {
    fc.assert(
      fc.property(evidence, (given) => {
        expect(decide({ ...given, frac: Number.NaN })).toEqual({ kind: "hold", offer: given.current });
      }),
    );
  });

  it("decide() holds an offer that is no number", () => {
    fc.assert(
      fc.property(evidence, fraction, (given, frac) => {
        expect(decide({ ...given, frac, current: Number.NaN }).kind).toBe("hold");
      }),
    );
  });

  it("decide() leaves a quarter to nine tenths of an offer that failed, unless the floor is above", () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const { kind, offer } = decide(given);
        fc.pre(kind === "down" && offer > given.floor);
        expect(offer).toBeGreaterThanOrEqual(0.25 * given.current);
        expect(offer).toBeLessThanOrEqual(0.9 * given.current);
      }),
    );
  });

  it("decide() cuts no less deeply when more failed", () => {
    fc.assert(
      fc.property(evidence, fraction, (given, frac) => {
        fc.pre(given.frac >= frac && frac > given.high);
        expect(decide(given).offer).toBeLessThanOrEqual(decide({ ...given, frac }).offer);
      }),
    );
  });

  it("decide() climbs no faster with a memory than without, and alone by probes from 75 % of what failed", () => {
    fc.assert(
      fc.property(evidence, amount, (given, lastBad) => {
        const clean = { ...given, frac: -1, lastBad };
        const { offer } = decide(clean);
        expect(offer).toBeLessThanOrEqual(Math.max(decide({ ...clean, lastBad: null }).offer, probed(clean, lastBad)));
        if (given.current >= Math.max(given.floor, 0.75 * lastBad)) expect(offer).toBe(probed(clean, lastBad));
      }),
    );
  });
});

function probed({ current, ceiling }: WindowEvidence, lastBad: number): number {
  return current < ceiling ? Math.min(ceiling, current + Math.max(1, 0.02 * lastBad)) : current;
}

describe("memoryClearStep", () => {
  it.each(vectors.memoryClearStep)(
    "memoryClearStep() of streak $streak, evidence $evidence: $nextStreak, cleared $clears",
    ({ streak, evidence: seen, nextStreak, clears }) => {
      expect(memoryClearStep(streak, seen)).toEqual({ streak: nextStreak, cleared: clears });
    },
  );

  it("memoryClearStep() clears exactly at each third window of evidence in a row", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 50 }), (windows) => {
        let state = { streak: 0, cleared: false };
        let row = 0;
        for (const seen of windows) {
          state = memoryClearStep(state.streak, seen);
          row = seen ? row + 1 : 0;
          expect(state.cleared).toBe(row > 0 && row % MEMORY_CLEAR_STREAK === 0);
        }
      }),
    );
  });
});
