import { describe, expect, it } from "vitest";
import { positiveNumber } from "../../src/cli/flags/flag-values.ts";
import { parsePolicy } from "../../src/cli/flags/policy-flag.ts";
import { parseList, parsePolicyList } from "../../src/cli/flags/value-list.ts";
import { parseCount, parseDuration, parseRate } from "../../src/plan/units.ts";

function texts(list: string, parse: (text: string) => unknown = (text) => text): string[] {
  return parseList(list, parse).map(({ text }) => text);
}

describe("parseList()", () => {
  it("keeps values as they are written", () => {
    expect(parseList("200ms, 1s", parseDuration)).toEqual([
      { text: "200ms", value: 0.2 },
      { text: "1s", value: 1 },
    ]);
  });

  it("makes a range of as many values, evenly apart, its ends included", () => {
    expect(parseList("500..4000/8", parseRate).map(({ value }) => value)).toEqual([
      500, 1000, 1500, 2000, 2500, 3000, 3500, 4000,
    ]);
    expect(texts("3..1/3")).toEqual(["3", "2", "1"]);
    expect(texts("1..2/4")).toEqual(["1", "1.33333", "1.66667", "2"]);
    expect(texts("1,10..30/3,100")).toEqual(["1", "10", "20", "30", "100"]);
  });

  it("keeps the unit of a range, which may stand at its end only", () => {
    expect(texts("10s..30s/3")).toEqual(["10s", "20s", "30s"]);
    expect(texts("100..300ms/3")).toEqual(["100ms", "200ms", "300ms"]);
    expect(texts("60/m..120/m/2")).toEqual(["60/m", "120/m"]);
  });

  it.each([
    ["500..4000", "must say how many values a range has, from 2 to 200, as in 500..4000/8"],
    ["500..4000/1", "must say how many values"],
    ["500..4000/201", "must say how many values"],
    ["1..2/-3", "must say how many values"],
    ["1..2/1e9", "must say how many values"],
    ["1..2/2.5", "must say how many values"],
    ["200ms..1s/3", "must begin and end a range in the same unit"],
    ["1,2,1", 'must give each value once, and has "1" again'],
    ["5,1..9/3", 'has "5" again'],
  ])("refuses %s", (list, rule) => {
    expect(() => parseList(list, (text) => text)).toThrow(rule);
  });

  it.each([
    ["1.5,1.50", positiveNumber, 'has "1.50" again, as "1.5"'],
    ["1s,1000ms", parseDuration, 'has "1000ms" again, as "1s"'],
    ["120/m,5,2", parseRate, 'has "2" again, as "120/m"'],
  ])("refuses %s, of which two are one value", (list, parse, rule) => {
    expect(() => parseList<number>(list, parse)).toThrow(rule);
  });

  it("leaves it to the flag's own parser what a value may be", () => {
    expect(() => parseList("1..2/3", parseCount)).toThrow("must be a positive whole number");
    expect(() => parseList("1,,2", parseRate)).toThrow("must be a positive rate");
  });
});

describe("parsePolicyList()", () => {
  it.each([
    ["sre,aws-adaptive,retry", ["sre", "aws-adaptive", "retry"]],
    ["sre,window=10,retry", ["sre,window=10", "retry"]],
    ["sre,k=1.1,sre,k=2", ["sre,k=1.1", "sre,k=2"]],
    ["sre:k=2,retry:maxAttempts=2", ["sre:k=2", "retry:maxAttempts=2"]],
    ["./mine.ts,factor=2,sre", ["./mine.ts,factor=2", "sre"]],
    ["./a=b.ts,none", ["./a=b.ts", "none"]],
  ])("takes a part with = for an option of the policy before it: %s", (list, policies) => {
    expect(parsePolicyList(list, parsePolicy).map(({ text }) => text)).toEqual(policies);
  });

  it("refuses the same policy twice", () => {
    expect(() => parsePolicyList("sre,k=2,sre,k=2", parsePolicy)).toThrow('has "sre,k=2" again');
  });
});
