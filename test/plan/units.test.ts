import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseCount, parseDuration, parseRate } from "../../src/plan/units.ts";

describe("parseDuration", () => {
  it.each([
    ["0", 0],
    ["0s", 0],
    ["10s", 10],
    ["250ms", 0.25],
    ["2m", 120],
    ["1m30s", 90],
    ["500h", 1_800_000],
    ["1h1m1s1ms1us", 3661.001001],
    ["1.5s", 1.5],
    ["0.1s", 0.1],
    ["1m5ms", 60.005],
    ["100us", 0.0001],
    ["007s", 7],
  ])("parseDuration(%j) is %d seconds", (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each([
    "10",
    "",
    " ",
    "s",
    "10 s",
    " 10s",
    "10s ",
    "-1s",
    "+1s",
    "1e3s",
    ".5s",
    "5.s",
    "1s1s",
    "1s1m",
    "1ms1s",
    "1sm",
    "10S",
    "1d",
    "ten",
    "Infinity",
    "0x10s",
    "1_000s",
    "1m30",
    "10s\n",
    `${"9".repeat(400)}s`,
  ])("parseDuration(%j) is refused with the rule and the value", (text) => {
    expect(() => parseDuration(text)).toThrow(
      new RangeError(
        `must be a duration with a unit such as 250ms, 10s or 2m: current value is ${JSON.stringify(text)}`,
      ),
    );
  });

  it("parseDuration() names the value in one line", () => {
    expect(() => parseDuration("10")).toThrow(
      new RangeError('must be a duration with a unit such as 250ms, 10s or 2m: current value is "10"'),
    );
    expect(() => parseDuration("1\n2")).toThrow(/^[^\n]*"1\\n2"$/);
  });
});

describe("parseRate", () => {
  it.each([
    ["2000", 2000],
    ["2000/s", 2000],
    ["120/m", 2],
    ["0.1", 0.1],
    ["99.9/s", 99.9],
    ["10_000", 10_000],
  ])("parseRate(%j) is %d per second", (text, rate) => {
    expect(parseRate(text)).toBe(rate);
  });

  it.each([
    "",
    "0",
    "0/s",
    "-1",
    "+1",
    "2k",
    "1e3",
    "10/h",
    "10/",
    "/s",
    "10 /s",
    "10ps",
    ".5",
    "5.",
    "1__0",
    "_1",
    "1_",
    "NaN",
    "Infinity",
    "10\n",
    "9".repeat(400),
  ])("parseRate(%j) is refused with the rule and the value", (text) => {
    expect(() => parseRate(text)).toThrow(
      new RangeError(`must be a positive rate such as 2000, 2000/s or 120/m: current value is ${JSON.stringify(text)}`),
    );
  });
});

describe("parseCount", () => {
  it.each([
    ["1", 1],
    ["100", 100],
    ["10_000", 10_000],
    ["1_0_0", 100],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ])("parseCount(%j) is %d", (text, count) => {
    expect(parseCount(text)).toBe(count);
  });

  it.each([
    "",
    "0",
    "00",
    "-1",
    "+1",
    "1.0",
    "1e3",
    "10k",
    "10,000",
    "1__0",
    "_1",
    "1_",
    " 1",
    "1 ",
    "0x10",
    "9007199254740992",
  ])("parseCount(%j) is refused with the rule and the value", (text) => {
    expect(() => parseCount(text)).toThrow(
      new RangeError(`must be a positive whole number such as 100 or 10_000: current value is ${JSON.stringify(text)}`),
    );
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0s"],
    [1e-12, "0s"],
    [0.0001234, "123.4us"],
    [0.25, "250ms"],
    [0.0123456, "12.346ms"],
    [0.9999999, "1s"],
    [0.00099999999, "1ms"],
    [1.5, "1.5s"],
    [10, "10s"],
    [59.9999, "1m"],
    [90, "1m30s"],
    [3600, "1h"],
    [3661.25, "1h1m1.25s"],
    [7205, "2h5s"],
    [1_800_000, "500h"],
  ])("formatDuration(%d) is %j", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  it("formatDuration() writes what parseDuration() reads, to a thousandth of the unit", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.integer({ min: -9, max: 0 }), (base, exponent) => {
        const seconds = base * 10 ** exponent;
        const error = Math.abs(parseDuration(formatDuration(seconds)) - seconds);
        const unit = seconds >= 0.999 ? 1 : seconds >= 0.000999 ? 1e-3 : 1e-6;
        expect(error).toBeLessThanOrEqual(0.00051 * unit + 1e-15 * seconds);
      }),
      { seed: 1 },
    );
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("formatDuration(%d) is refused", (seconds) => {
    expect(() => formatDuration(seconds)).toThrow(
      new RangeError(
        `Cannot format a duration as 'seconds' must be a non-negative number: current value is ${seconds}`,
      ),
    );
  });
});
