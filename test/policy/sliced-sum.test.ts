import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlicedSum } from "../../src/policy/sliced-sum.ts";

const finagle = () => new SlicedSum(10, 10, 9, "down");
const tower = () => new SlicedSum(10, 10, 10, "up");

/** At which look, one each `gapSeconds`, an amount added at 0 has left. */
function goneAtLook(sum: SlicedSum, gapSeconds: number): number {
  sum.moveTo(0);
  sum.add(7);
  for (let look = 1; look <= 50; look++) {
    sum.moveTo(look * gapSeconds);
    if (sum.total === 0) return look;
    expect(sum.total).toBe(7);
  }
  throw new Error("the amount never left");
}

describe("SlicedSum", () => {
  it("begins a slice at the first look after the one before has its length, and drops what was skipped", () => {
    const fifths = new SlicedSum(30, 5, 4, "down");
    const sums = [0, 5.5, 7, 12.75, 13, 25, 36, 37, 300].map((at) => {
      fifths.moveTo(at);
      fifths.add(1);
      return fifths.total;
    });
    // Slices from 0, 7, 13, 25, 36, 300. At 25 one is skipped; at 36 the one from 0 has left; at 300 all.
    expect(sums).toEqual([1, 2, 3, 4, 5, 6, 5, 6, 1]);
  });

  it("has slices that drift: looks 250 ms apart move ten of 100 ms on by two at a time, so that they last 1.25 s", () => {
    const recent = new SlicedSum(1000, 10, 9, "down");
    const sums = [0, 250, 500, 750, 1000, 1250, 1500].map((now) => {
      recent.moveTo(now);
      recent.add(1);
      return recent.total;
    });
    expect(sums).toEqual([1, 2, 3, 4, 5, 5, 5]);
    const later = [2375, 2500, 2625].map((now) => {
      recent.moveTo(now);
      return recent.total;
    });
    expect(later).toEqual([1, 1, 0]);
  });

  it("forgets all when it is reset", () => {
    const sum = finagle();
    sum.moveTo(0);
    sum.add(5);
    sum.moveTo(3);
    sum.add(2);
    sum.reset(3.5);
    expect(sum.total).toBe(0);
    sum.moveTo(4.25);
    sum.add(1);
    expect(sum.total).toBe(1);
  });

  // By hand. Slices of 1 s; a look that is late by an eighth makes each slice one of 1.125 s.
  it.each([
    ["finagle on time", finagle, 1, 10],
    ["finagle, late looks", finagle, 1.125, 10],
    ["finagle, two looks a slice", finagle, 0.5, 20],
    ["finagle, every third slice", finagle, 3, 4],
    ["finagle, one look after all", finagle, 10, 1],
    ["finagle, just before", finagle, 9.75, 2],
    ["tower on time", tower, 1, 11],
    ["tower, late looks", tower, 1.125, 6],
    ["tower, two looks a slice", tower, 0.5, 22],
    ["tower, one look after all", tower, 10.125, 1],
    ["tower, just before", tower, 9.875, 2],
  ])("%s: an amount leaves at the look that its slices say", (_case, make, gapSeconds, look) => {
    expect(goneAtLook(make(), gapSeconds)).toBe(look);
  });

  it("lets debts leave like deposits", () => {
    const sum = finagle();
    sum.moveTo(0);
    sum.add(-5);
    sum.moveTo(1);
    sum.add(3);
    expect(sum.total).toBe(-2);
    for (let second = 2; second <= 10; second++) sum.moveTo(second);
    expect(sum.total).toBe(3);
    sum.moveTo(11);
    expect(sum.total).toBe(0);
  });

  it("keeps what it has on a clock that steps back a little, and keeps the ages on one that is set back", () => {
    const sum = finagle();
    sum.moveTo(100);
    sum.add(1);
    sum.moveTo(91);
    sum.add(1);
    expect(sum.total).toBe(2);
    sum.moveTo(100.75);
    expect(sum.total).toBe(2);
    sum.moveTo(-5000);
    sum.add(1);
    expect(sum.total).toBe(3);
    for (let second = 1; second <= 9; second++) sum.moveTo(-5000 + second);
    expect(sum.total).toBe(3);
    sum.moveTo(-4990);
    expect(sum.total).toBe(0);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("ignores a reading of %f", (reading) => {
    for (const before of [true, false]) {
      const sum = tower();
      if (before) sum.moveTo(reading);
      sum.moveTo(3);
      sum.add(2);
      sum.moveTo(reading);
      sum.add(2);
      expect(sum.total).toBe(4);
      sum.moveTo(3.5);
      expect(sum.total).toBe(4);
      sum.moveTo(14);
      expect(sum.total).toBe(0);
    }
  });

  const readings = fc.oneof(
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -3600, 0, 3600, 1e15),
  );
  const amounts = fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(2 ** 53, -(2 ** 53)));

  it("has a finite total whatever it was told, and none after an idle day", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(readings, amounts)), fc.boolean(), (steps, isTower) => {
        const sum = isTower ? tower() : finagle();
        let last = 0;
        for (const [reading, amount] of steps) {
          sum.moveTo(reading);
          sum.add(amount);
          if (Number.isFinite(reading)) last = reading;
          expect(Number.isFinite(sum.total)).toBe(true);
        }
        sum.moveTo(last);
        sum.moveTo(last + 86_400);
        expect(sum.total).toBe(0);
      }),
    );
  });
});
