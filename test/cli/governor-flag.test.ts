import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeGovernor, governorSpec, parseGovernor } from "../../src/cli/flags/governor-flag.ts";
import { resolveGovernorOptions } from "../../src/governor/governor-options.ts";

describe("parseGovernor()", () => {
  it("reads every option in its unit", () => {
    expect(
      parseGovernor("high=10%,low=2.5%,window=500ms,floor=2,start=120/m,control=concurrency,hold=20,band=30%"),
    ).toEqual({
      high: 0.1,
      low: 0.025,
      windowSeconds: 0.5,
      floor: 2,
      start: 2,
      control: "concurrency",
      holdWindows: 20,
      holdBand: 0.3,
    });
    expect(parseGovernor(" window = 5s ")).toEqual({ windowSeconds: 5 });
  });

  it.each([
    ["", 'must list options as key=value, as in high=5%,window=2s: current value is ""'],
    ["high", "must list options as key=value"],
    ["high=5%,", "must list options as key=value"],
    ["hihg=5%", "has no option 'hihg': did you mean 'high'?"],
    ["ceiling=5", "has no option 'ceiling' (the greatest offer is --max-rps, or --max-concurrency)"],
    ["__proto__=5", "has no option '__proto__'"],
    ["high=5%,high=6%", "must give 'high' once"],
    ["high=5", `'high' must be a share above 0% and below 100% such as 5%: current value is "5"`],
    ["high=100%", "'high' must be a share"],
    ["high=0%", "'high' must be a share"],
    ["low=-1%", "'low' must be a share"],
    ["low=6%", `'low' must be at most 'high' (5%): current value is "6%"`],
    ["high=2%,low=3%", `'low' must be at most 'high' (2%): current value is "3%"`],
    ["window=2", "'window' must be a duration with a unit"],
    ["window=0", "'window' must be longer than nothing"],
    ["floor=0", "'floor' must be a positive rate"],
    ["start=x", "'start' must be a positive rate"],
    ["control=fibres", "'control' must be one of rate, concurrency"],
    ["hold=1", `'hold' must be at least 2 windows: current value is "1"`],
    ["hold=2.5", "'hold' must be a positive whole number"],
    ["band=0%", "'band' must be a share"],
  ])("refuses %j in one line: %s", (text, message) => {
    const refusal = (): unknown => parseGovernor(text);
    expect(refusal).toThrow(RangeError);
    expect(refusal).toThrow(message);
    expect(String(getError(refusal).message)).not.toContain("\n");
  });
});

function getError(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It did not throw");
}

describe("governorSpec()", () => {
  it("governs the rate from 1/s on, without a ceiling, at rest after 12 windows of 2 s within 15 %", () => {
    expect(governorSpec(undefined, undefined)).toEqual({
      control: "rate",
      high: 0.05,
      low: 0.01,
      floor: 1,
      ceiling: Number.POSITIVE_INFINITY,
      start: 1,
      windowSeconds: 2,
      holdWindows: 12,
      holdBand: 0.15,
    });
  });

  it("takes a fifth of high as low, and the floor as the start", () => {
    expect(governorSpec(parseGovernor("high=10%,floor=5"), undefined)).toMatchObject({ low: 0.02, start: 5 });
  });

  it("begins below 1/s where the ceiling is there", () => {
    expect(governorSpec(undefined, 0.5)).toMatchObject({ floor: 0.5, start: 0.5, ceiling: 0.5 });
  });

  it.each([
    ["floor=20", 10, "'floor' must be at most the ceiling (10)"],
    ["start=20", 10, "'start' must be from 'floor' (1) to the ceiling (10)"],
    ["floor=5,start=2", undefined, "'start' must be at least 'floor' (5)"],
    ["control=concurrency,floor=0.5", 10, "'floor' must be at least one call at once"],
  ])("refuses %s with the ceiling %s", (text, ceiling, message) => {
    expect(() => governorSpec(parseGovernor(text), ceiling)).toThrow(RangeError);
    expect(() => governorSpec(parseGovernor(text), ceiling)).toThrow(message);
  });

  it("makes what the governor itself takes as it is", () => {
    const percents = fc.integer({ min: 1, max: 99 });
    fc.assert(
      fc.property(percents, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 50 }), (high, floor, more) => {
        const spec = governorSpec(parseGovernor(`high=${high}%,floor=${floor},start=${floor + more}`), 1000);
        const { windowSeconds: window, holdWindows: _, holdBand: __, ...options } = spec;
        expect(resolveGovernorOptions({ ...options, window })).toEqual({ ...options, windowSeconds: window });
        expect(spec.start).toBe(floor + more);
      }),
    );
  });

  it("is recorded with no ceiling as null, as JSON knows no infinity", () => {
    const recorded = describeGovernor(governorSpec(undefined, undefined));
    expect(JSON.parse(JSON.stringify(recorded))).toEqual(recorded);
    expect(recorded.ceiling).toBeNull();
    expect(describeGovernor(governorSpec(undefined, 10)).ceiling).toBe(10);
  });
});
