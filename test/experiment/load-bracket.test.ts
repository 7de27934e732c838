import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BracketRange, LoadBracket, type LoadVerdict, loadsMax } from "../../src/experiment/load-bracket.ts";

const RANGE: BracketRange = { lowRps: 20, highRps: 200, tolerance: 0.02 };

interface Searched {
  readonly bracket: LoadBracket;
  /** In the order in which they were tried. */
  readonly tried: readonly number[];
}

function search(range: BracketRange, verdictOf: (rps: number) => LoadVerdict, each = (_: LoadBracket) => {}): Searched {
  const bracket = new LoadBracket(range);
  const tried: number[] = [];
  while (!bracket.done) {
    tried.push(...bracket.due);
    bracket.tell(bracket.due.map(verdictOf));
    each(bracket);
  }
  return { bracket, tried };
}

/** Loads up to the threshold pass. */
function stepAt(threshold: number): (rps: number) => LoadVerdict {
  return (rps) => (rps <= threshold ? "passed" : "failed");
}

const ranges = fc
  .record({
    lowRps: fc.double({ min: 0.1, max: 1000, noNaN: true }),
    width: fc.double({ min: 1.01, max: 500, noNaN: true }),
    tolerance: fc.double({ min: 0.005, max: 0.5, noNaN: true }),
  })
  .map(({ lowRps, width, tolerance }): BracketRange => ({ lowRps, highRps: lowRps * width, tolerance }));

describe("LoadBracket", () => {
  it("finds a step between two loads to the tolerance", () => {
    const { bracket, tried } = search(RANGE, stepAt(40));
    expect(bracket.passed).toBeLessThanOrEqual(40);
    expect(bracket.failed).toBeGreaterThan(40);
    expect((bracket.failed as number) / (bracket.passed as number)).toBeLessThanOrEqual(1.021);
    expect(tried.slice(0, 2)).toEqual([20, 200]);
  });

  it("ends at once where the upper end passes, without an upper bound", () => {
    const { bracket, tried } = search(RANGE, stepAt(1000));
    expect([bracket.passed, bracket.failed]).toEqual([200, null]);
    expect(tried).toEqual([20, 200]);
  });

  it("ends at once where the lower end fails, without a lower bound", () => {
    const { bracket, tried } = search(RANGE, stepAt(1));
    expect([bracket.passed, bracket.failed]).toEqual([null, 20]);
    expect(tried).toEqual([20, 200]);
  });

  it("goes on below loads that cannot be trusted, and does not take them for loads that fail", () => {
    const { bracket } = search(RANGE, (rps) => (rps > 100 ? "untrusted" : "passed"));
    expect(bracket.failed).toBeNull();
    expect(bracket.passed).toBeGreaterThan(97);
    expect(bracket.passed).toBeLessThanOrEqual(100);
  });

  it("finds nothing where the lower end cannot be trusted", () => {
    const { bracket, tried } = search(RANGE, () => "untrusted");
    expect([bracket.passed, bracket.failed]).toEqual([null, null]);
    expect(tried).toHaveLength(2);
  });

  it("holds the threshold of a step between its ends, whatever the range, at every moment, and comes to an end", () => {
    fc.assert(
      fc.property(ranges, fc.double({ min: 0, max: 1, noNaN: true }), (range, place) => {
        const threshold = range.lowRps + place * (range.highRps - range.lowRps) * 1.2 - range.lowRps * 0.1;
        const { bracket, tried } = search(range, stepAt(threshold), ({ passed, failed }) => {
          expect(passed ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(threshold);
          expect(failed ?? Number.POSITIVE_INFINITY).toBeGreaterThan(threshold);
        });
        expect(tried.length).toBeLessThanOrEqual(loadsMax(range));
        expect(new Set(tried).size).toBe(tried.length);
        const { passed, failed } = bracket;
        // A thousandth for loads that are written with few digits.
        if (passed !== null && failed !== null)
          expect(failed / passed).toBeLessThanOrEqual((1 + range.tolerance) * 1.001);
      }),
    );
  });

  it("ends between a load that passed and one that did not, whatever the noise", () => {
    fc.assert(
      fc.property(ranges, fc.array(fc.constantFrom<LoadVerdict>("passed", "failed", "untrusted")), (range, noise) => {
        let index = 0;
        const verdicts = new Map<number, LoadVerdict>();
        const { bracket, tried } = search(range, (rps) => {
          const verdict = noise[index++] ?? "passed";
          verdicts.set(rps, verdict);
          return verdict;
        });
        expect(tried.length).toBeLessThanOrEqual(loadsMax(range));
        if (bracket.passed !== null) expect(verdicts.get(bracket.passed)).toBe("passed");
        if (bracket.failed !== null) expect(verdicts.get(bracket.failed)).toBe("failed");
      }),
    );
  });

  it.each<[change: Partial<BracketRange>, message: string]>([
    [{ lowRps: 0 }, 'must be two loads, the lower one first, above 0 and at most 1000000: current value is "0..200"'],
    [{ highRps: 20 }, 'current value is "20..20"'],
    [{ highRps: 2_000_000 }, 'current value is "20..2000000"'],
    [{ tolerance: 0 }, "must be a share from 0.001 to below 1: current value is 0"],
    [{ tolerance: Number.NaN }, "current value is NaN"],
  ])("refuses %j", (change, message) => {
    expect(() => new LoadBracket({ ...RANGE, ...change })).toThrow(message);
  });

  it("refuses verdicts that are not of the loads it asked for", () => {
    expect(() => new LoadBracket(RANGE).tell(["passed"])).toThrow("current values are 1 for 2");
  });
});

describe("loadsMax()", () => {
  it("is the ends and one load each time that the interval is halved", () => {
    // ln 10 / ln 1.02 = 116.3 widths: seven halvings.
    expect(loadsMax(RANGE)).toBe(9);
    expect(loadsMax({ lowRps: 99, highRps: 100, tolerance: 0.02 })).toBe(2);
  });
});
