import { describe, expect, test } from "vitest";
import { collectHeaders, type HeaderReader } from "../../src/adapters/answer-headers.ts";

const from =
  (headers: Readonly<Record<string, string | string[]>>): HeaderReader =>
  (name) =>
    headers[name];

describe("collectHeaders()", () => {
  test("gives name and value of those that are read, a repeated one each time", () => {
    expect(
      collectHeaders(
        ["retry-after", "x-a", "date"],
        from({ "x-a": ["1", "2"], "x-b": "3", date: "D", "retry-after": "4" }),
      ),
    ).toEqual(["retry-after", "4", "x-a", "1", "x-a", "2", "date", "D"]);
  });

  test("adds this machine's date only where a date is read, missing, and not alone", () => {
    const filled = collectHeaders(["retry-after", "date"], from({ "retry-after": "4" }));
    expect(filled?.slice(0, 3)).toEqual(["retry-after", "4", "date"]);
    expect(Math.abs(Date.parse(filled?.[3] ?? "") - Date.now())).toBeLessThan(5000);
    expect(collectHeaders(["retry-after"], from({ "retry-after": "4" }))).toEqual(["retry-after", "4"]);
    expect(collectHeaders(["retry-after", "date"], from({ date: "D" }))).toBeUndefined();
    expect(collectHeaders(["retry-after", "date"], from({}))).toBeUndefined();
    expect(collectHeaders([], from({ date: "D" }))).toBeUndefined();
  });
});
