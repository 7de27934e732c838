import { describe, expect, it } from "vitest";
import { multipleText, parseRps, rateAsked, rpsAt } from "../../src/cli/flags/capacity-rate.ts";
import { parseList } from "../../src/cli/flags/value-list.ts";

describe("parseRps()", () => {
  it("takes a rate as it always was, and multiples of the capacity", () => {
    expect(parseRps("2000")).toBe(2000);
    expect(parseRps("120/m")).toBe(2);
    expect(parseRps("2x-capacity")).toEqual({ timesCapacity: 2 });
    expect(parseRps("0.9x-capacity")).toEqual({ timesCapacity: 0.9 });
    expect(parseRps("capacity")).toEqual({ timesCapacity: 1 });
  });

  it.each(["0x-capacity", "-1x-capacity", "x-capacity", "2xcapacity", "2x-capacity/s", "capacity2", "2 x-capacity"])(
    "refuses %s, and says how one is written",
    (text) => {
      expect(() => parseRps(text)).toThrow(/^must be a rate such as 2000, or a multiple of the capacity such as/u);
      expect(() => parseRps(text)).toThrow(`current value is "${text}"`);
    },
  );

  it("refuses what is neither with the rule of rates", () => {
    expect(() => parseRps("fast")).toThrow("must be a positive rate such as 2000");
  });

  it("has lists and ranges in a sweep, whose entries are told apart by what they come to", () => {
    const rates = parseList("1x-capacity..3x-capacity/5,400", parseRps);
    expect(rates.map(({ text }) => text)).toEqual([
      "1x-capacity",
      "1.5x-capacity",
      "2x-capacity",
      "2.5x-capacity",
      "3x-capacity",
      "400",
    ]);
    expect(parseList("0.5..2x-capacity/2", parseRps).map(({ value }) => value)).toEqual([
      { timesCapacity: 0.5 },
      { timesCapacity: 2 },
    ]);
    expect(() => parseList("capacity,1x-capacity", parseRps)).toThrow('has "1x-capacity" again, as "capacity"');
  });
});

describe("rpsAt()", () => {
  it("leaves figures alone, and rounds products to what a capacity is known to", () => {
    expect(rpsAt(123.456, 7)).toBe(123.456);
    expect(rpsAt({ timesCapacity: 2 }, 197.432_18)).toBe(394.9);
    expect(rpsAt({ timesCapacity: 0.9 }, 12_345.678)).toBe(11_110);
    expect(rpsAt({ timesCapacity: 1.5 }, 0.123_456)).toBe(0.1852);
  });
});

describe("rateAsked()", () => {
  it("is twice the capacity where the governor is all that speaks of a rate", () => {
    expect(rateAsked({})).toBeUndefined();
    expect(rateAsked({ governor: { high: 0.1 } })).toEqual({ timesCapacity: 2 });
    expect(rateAsked({ governor: {}, rps: { timesCapacity: 3 } })).toEqual({ timesCapacity: 3 });
    expect(rateAsked({ governor: {}, sine: {} })).toBeUndefined();
  });

  it("is written again as it is read", () => {
    for (const timesCapacity of [0.9, 1, 2.25]) {
      expect(parseRps(multipleText({ timesCapacity }))).toEqual({ timesCapacity });
    }
  });
});
