import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseReplay } from "../../src/plan/replay.ts";
import { sortArrivals } from "../../src/plan/sort-arrivals.ts";

const RULE = 'must have a line like "12.5" or "2024-06-01T12:00:00.25Z,caller" for each arrival';

function parsed(text: string, speed = 1): { times: number[]; owners: number[] | undefined } {
  const { timesSeconds, owners } = parseReplay(text, { speed });
  return { times: [...timesSeconds], owners: owners && [...owners] };
}

describe("parseReplay", () => {
  it("parseReplay() takes a time a line, relative to the earliest, on shared memory", () => {
    expect(parsed("10\n10.5\n12.25\n")).toEqual({ times: [0, 0.5, 2.25], owners: undefined });
    expect(parseReplay("1\n2").timesSeconds.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(parseReplay("1 a\n2 b").owners?.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it("parseReplay() numbers the callers in the order of their first line", () => {
    const text = "0 bob\n1\talice\n2, bob \n3 , carol smith\n4 bobby\r\n";
    expect(parsed(text)).toEqual({ times: [0, 1, 2, 3, 4], owners: [0, 1, 0, 2, 3] });
    expect(parsed("0 __proto__\n1 constructor\n2 __proto__").owners).toEqual([0, 1, 0]);
  });

  it("parseReplay() skips blank lines and comments, and a byte order mark", () => {
    expect(parsed("\ufeff# a log\n\n  1 \n \t \r\n# 2\n3")).toEqual({ times: [0, 2], owners: undefined });
  });

  it.each([
    ["seconds", "1717243200.25\n1717243200.5\n1717243201.000001"],
    ["milliseconds", "1717243200250\n1717243200500\n1717243201000.001"],
    ["microseconds", "1717243200250000\n1717243200500000\n1717243201000001"],
    ["nanoseconds", "1717243200250000000\n1717243200500000000\n1717243201000001000"],
    ["dates", "2024-06-01T12:00:00.25Z\n2024-06-01T14:00:00.5+02:00\n2024-06-01T12:00:01.000001Z"],
  ])("parseReplay() takes times since 1970 as %s, exact to a nanosecond", (_form, text) => {
    const { times } = parsed(text);
    expect(times.map((time) => Math.round(time * 1e9))).toEqual([0, 250_000_000, 750_001_000]);
  });

  it("parseReplay() sorts what is out of order; callers at one time keep their order", () => {
    expect(parsed("3 a\n1 b\n2 c\n1 a\n3 d\n0.5 e")).toEqual({
      times: [0, 0.5, 0.5, 1.5, 2.5, 2.5],
      owners: [4, 1, 0, 2, 0, 3],
    });
    expect(parsed("3\n1\n2").times).toEqual([0, 1, 2]);
  });

  it("parseReplay() plays faster by a factor", () => {
    expect(parsed("10\n11\n14", 2).times).toEqual([0, 0.5, 2]);
    expect(parsed("10\n11\n14", 0.5).times).toEqual([0, 2, 8]);
  });

  it.each([
    ["", `${RULE}: there is none`],
    ["# nothing\n\n", `${RULE}: there is none`],
    ["1\n2\nthree", `${RULE}: line 3 is "three"`],
    ["1\n\n# x\n-2\n", `${RULE}: line 4 is "-2"`],
    ["1\n2x\n", `${RULE}: line 2 is "2x"`],
    ["1e9", `${RULE}: line 1 is "1e9"`],
    ["time,user\n1,a", `${RULE}: line 1 is "time,user"`],
    [`1\n${"y".repeat(1_000)}`, `${RULE}: line 2 is "${"y".repeat(60)}"`],
    ["1 a\n2", `${RULE}, with a caller on all lines or on none: line 2 is "2"`],
    ["1\n2 a", `${RULE}, with a caller on all lines or on none: line 2 is "2 a"`],
    ["1 a\n2,", `${RULE}, with a caller on all lines or on none: line 2 is "2,"`],
    ["0\r0.5\r1\r2\r", `${RULE}, ended by a line feed: line 1 is "0\\r0.5\\r1\\r2"`],
    ["5\n1717243200123", `${RULE}, all in the form of the first, seconds: line 2 is "1717243200123"`],
    ["2024-06-01T12:00:00Z\n5", `${RULE}, all in the form of the first, ISO 8601: line 2 is "5"`],
  ])("parseReplay(%j) is refused with the rule and the line", (text, message) => {
    expect(() => parseReplay(text)).toThrow(new RangeError(message));
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("parseReplay() refuses the speed %d", (speed) => {
    expect(() => parseReplay("1", { speed })).toThrow(
      new RangeError(`Cannot replay as 'speed' must be a positive number: current value is ${speed}`),
    );
  });

  it("parseReplay() gives back any recording that was written out", () => {
    const calls = fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(5)), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(calls, (list) => {
        const text = list.map(([micros, caller]) => `${(micros / 1e6).toFixed(6)} user-${caller}`).join("\n");
        const numbers = [...new Set(list.map(([, caller]) => caller))];
        const sorted = list.map(([micros, caller]) => [micros, numbers.indexOf(caller)] as const);
        sorted.sort(([a], [b]) => a - b);
        const { times, owners } = parsed(text);
        expect(times.map((time) => Math.round(time * 1e6))).toEqual(sorted.map(([m]) => m - (sorted[0]?.[0] ?? 0)));
        expect(owners).toEqual(sorted.map(([, owner]) => owner));
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

describe("sortArrivals", () => {
  it("sortArrivals() is a stable sort of any length", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 300 }), (list) => {
        const times = Float64Array.from(list);
        const owners = Uint32Array.from(list.keys());
        sortArrivals(times, owners);
        const expected = list.map((time, i) => [time, i] as const).sort(([a], [b]) => a - b);
        expect([...times].map((time, i) => [time, owners[i]])).toEqual(expected);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
