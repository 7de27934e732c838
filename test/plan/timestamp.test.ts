import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TimestampReader } from "../../src/plan/timestamp.ts";

/** [form, whole, fraction, what is left of the text], or undefined. */
function read(text: string): [string, number, number, string] | undefined {
  const reader = new TimestampReader();
  return reader.read(text, 0, text.length)
    ? [reader.form, reader.whole, reader.fraction, text.slice(reader.end)]
    : undefined;
}

describe("TimestampReader", () => {
  it.each<[string, string, number, number, string]>([
    ["0", "seconds", 0, 0, ""],
    ["12.5 alice", "seconds", 12, 0.5, " alice"],
    ["007.25,x", "seconds", 7, 0.25, ",x"],
    ["99999999999", "seconds", 99_999_999_999, 0, ""],
    ["1717243200.123456", "seconds", 1_717_243_200, 0.123456, ""],
    ["100000000000", "milliseconds", 100_000_000, 0, ""],
    ["1717243200123", "milliseconds", 1_717_243_200, 0.123, ""],
    ["1717243200123.5", "milliseconds", 1_717_243_200, 0.1235, ""],
    ["1717243200123456", "microseconds", 1_717_243_200, 0.123456, ""],
    ["1717243200123456789", "nanoseconds", 1_717_243_200, 0.123456789, ""],
    ["0.12345678901234567890", "seconds", 0, 0.123456789012345, ""],
    ["1970-01-01T00:00:00Z", "ISO 8601", 0, 0, ""],
    ["1969-12-31T23:59:59.75Z", "ISO 8601", -1, 0.75, ""],
    ["2024-02-29T14:00+02:00 bob", "ISO 8601", 1_709_208_000, 0, " bob"],
    ["2024-06-01T12:00:07.123456789-0330", "ISO 8601", 1_717_255_807, 0.123456789, ""],
    ["2016-12-31T23:59:60Z", "ISO 8601", 1_483_228_800, 0, ""],
  ])("read(%j) is a time in %s: %d + %d s, leaving %j", (text, form, whole, fraction, rest) => {
    expect(read(text)).toEqual([form, whole, fraction, rest]);
  });

  it.each([
    ...["", "x", "-1", ".5", "5.", "e5", "100000000000000000000000"],
    ...["2024-06-01", "2024-06-01T12:00:00", "2024-06-01 12:00:00Z", "2024-6-1T12:00:00Z", "2024-13-01T12:00:00Z"],
    ...["2023-02-29T12:00:00Z", "1900-02-29T12:00:00Z", "2024-04-31T12:00:00Z", "2024-06-01T24:00:00Z"],
    ...["2024-06-01T12:60:00Z", "2024-06-01T12:00:61Z", "2024-06-01T12:00:00.Z", "2024-06-01T12:00:00+2:00"],
    ...["2024-06-01T12:00:00+24:00", "2024-06-01T12:00:0", "2024-06-01T1", "2024-"],
  ])("read(%j) is no time", (text) => {
    expect(read(text)).toBeUndefined();
  });

  it("read() agrees with the platform on every date", () => {
    const dates = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        const [, whole, fraction] = read(date.toISOString()) as [string, number, number, string];
        expect(whole * 1_000 + Math.round(fraction * 1_000)).toBe(date.getTime());
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it("read() looks at nothing outside its bounds", () => {
    const reader = new TimestampReader();
    expect(reader.read("9912.34599", 2, 8)).toBe(true);
    expect([reader.whole, reader.fraction, reader.end]).toEqual([12, 0.345, 8]);
    expect(reader.read("2024-06-01T12:00:00Z", 0, 19)).toBe(false);
  });
});
