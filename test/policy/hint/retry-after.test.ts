import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterSeconds } from "../../../src/policy/hint/retry-after.ts";

const DATE = "Wed, 01 Jul 2026 00:00:00 GMT";
const read = (...values: string[]) =>
  retryAfterSeconds([...values.flatMap((value) => ["retry-after", value]), "date", DATE], 300);

describe("retryAfterSeconds()", () => {
  it.each([
    ["0", 0],
    ["5", 5],
    ["005", 5],
    [" 7\t", 7],
    ["300", 300],
    ["301", 300],
    ["86400", 300],
    ["2147483648", 300],
    ["Wed, 01 Jul 2026 00:00:05 GMT", 5],
    ["Wednesday, 01-Jul-26 00:00:05 GMT", 5],
    ["Wed Jul  1 00:00:05 2026", 5],
    ["Wed, 01 Jul 2026 01:00:00 GMT", 300],
    ["Wed, 01 Jul 2026 00:00:00 GMT", 0],
    ["Tue, 30 Jun 2026 23:59:00 GMT", 0],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
  ])("reads %o as %f s, with a cap of 300 s", (value, seconds) => {
    expect(read(value)).toBe(seconds);
  });

  it.each([
    "",
    " ",
    "-3",
    "+3",
    "1.5",
    "1e3",
    "0x10",
    "5s",
    "5 6",
    "2147483649",
    "9999999999",
    "99999999999",
    "Infinity",
    "NaN",
    "soon",
    "2026-07-01T00:00:05Z",
    "Wed, 01 Jul 2026 00:00:05 PST",
    "5\u00a0",
    "٥",
    `${"0".repeat(600)}5`,
  ])("takes %o for no hint", (value) => {
    expect(read(value)).toBeUndefined();
  });

  it.each([
    [["5", "7"], 5],
    [["soon", "7"], 7],
    [["-1", "1.5", "Wed, 01 Jul 2026 00:00:09 GMT", "2"], 9],
    [["soon", "later"], undefined],
    [["5, 7"], 5],
    [["soon, 7"], 7],
    [["Wed, 01 Jul 2026 00:00:09 GMT, 2"], 9],
    [["soon, Wed, 01 Jul 2026 00:00:09 GMT"], 9],
    [["soon,,2"], 2],
  ])("of the values %o the first valid one counts: %o", (values, seconds) => {
    expect(read(...values)).toBe(seconds);
  });

  it("takes the answer's own date as now, whatever this machine's clock says", () => {
    const headers = ["date", "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after", "Sun, 06 Nov 1994 08:49:49 GMT"];
    expect(retryAfterSeconds(headers, 300)).toBe(12);
    const obsolete = ["date", "Sunday, 06-Nov-94 08:49:37 GMT", "retry-after", "Sun Nov  6 08:49:49 1994"];
    expect(retryAfterSeconds(obsolete, 300)).toBe(12);
  });

  it.each([
    [undefined, undefined],
    [[], undefined],
    [["retry-after"], undefined],
    [["date", DATE], undefined],
    [["retry-after", DATE], undefined],
    [["retry-after", DATE, "date", "today"], undefined],
    [["retry-after", "4"], 4],
    [["x", "retry-after", "retry-after", "4"], 4],
  ])("the headers %o give %o", (headers, seconds) => {
    expect(retryAfterSeconds(headers, 300)).toBe(seconds);
  });

  it("gives nothing or a number within [0, cap], and never throws", () => {
    const value = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[\d,. -]*$/),
      fc.constantFrom("5", "soon", DATE, "Wed Jul  1 00:00:05 2026"),
    );
    fc.assert(
      fc.property(fc.array(value), value, fc.double({ min: 0, max: 1e6, noNaN: true }), (values, date, cap) => {
        const headers = [...values.flatMap((text) => ["retry-after", text]), "date", date];
        const seconds = retryAfterSeconds(headers, cap) ?? 0;
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThanOrEqual(cap);
      }),
      { numRuns: 1000 },
    );
  });
});
