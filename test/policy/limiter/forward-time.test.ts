import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ForwardTime } from "../../../src/policy/limiter/forward-time.ts";

const readings = (start: number, ...nows: number[]) => {
  const time = new ForwardTime(start);
  return nows.map((now) => time.at(now));
};

describe("ForwardTime", () => {
  it("is the clock while it runs forwards", () => {
    expect(readings(0.1, 0.1, 0.3, 7, 1e9)).toEqual([0.1, 0.3, 7, 1e9]);
  });

  it("stands still while the clock is up to a second behind, and goes on from there when it is set back further", () => {
    expect(readings(100, 99.5, 100.25)).toEqual([100, 100.25]);
    expect(readings(7200, 3600, 3601, 3602.5)).toEqual([7200, 7201, 7202.5]);
  });

  it("stands still at readings that are no time", () => {
    expect(readings(5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 6)).toEqual([5, 5, 5, 6]);
    expect(readings(Number.NaN, 2)).toEqual([2]);
  });

  it("never runs backwards and is always finite, on any clock", () => {
    fc.assert(
      fc.property(fc.double(), fc.array(fc.double()), (start, nows) => {
        let last = Number.NEGATIVE_INFINITY;
        const time = new ForwardTime(start);
        for (const now of nows) {
          const at = time.at(now);
          expect(at).toBeGreaterThanOrEqual(last);
          expect(Number.isFinite(at)).toBe(true);
          last = at;
        }
      }),
    );
  });
});
