import { describe, expect, test } from "vitest";
import { datedHeaders } from "../../../src/policy/hint/dated-headers.ts";

describe("datedHeaders()", () => {
  const today = (): string => "NOW";

  test("adds a date only where one is read, missing, and not alone", () => {
    expect(datedHeaders(["retry-after", "4"], ["retry-after", "date"], today)).toEqual([
      "retry-after",
      "4",
      "date",
      "NOW",
    ]);
    expect(datedHeaders(["retry-after", "4"], ["retry-after"], today)).toEqual(["retry-after", "4"]);
    const dated = ["date", "D", "retry-after", "4"];
    expect(datedHeaders(dated, ["retry-after", "date"], today)).toEqual(dated);
  });

  test("takes a value that reads date for no date", () => {
    expect(datedHeaders(["x-a", "date"], ["x-a", "date"], today)).toEqual(["x-a", "date", "date", "NOW"]);
  });

  test("is nothing where there is a date at most", () => {
    expect(datedHeaders([], ["retry-after", "date"], today)).toBeUndefined();
    expect(datedHeaders(["date", "D"], ["retry-after", "date"], today)).toBeUndefined();
    expect(datedHeaders(["date", "D", "date", "E"], ["date"], today)).toBeUndefined();
  });
});
