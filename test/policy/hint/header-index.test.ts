import { describe, expect, test } from "vitest";
import { headerIndex } from "../../../src/policy/hint/header-index.ts";

describe("headerIndex()", () => {
  const headers = ["a", "b", "b", "1", "c", "b", "b", "2"];

  test("finds names, never values, one after the other", () => {
    expect(headerIndex(headers, "b")).toBe(2);
    expect(headerIndex(headers, "b", 4)).toBe(6);
    expect(headerIndex(headers, "b", 8)).toBe(-1);
    expect(headerIndex(headers, "1")).toBe(-1);
  });

  test("finds nothing where there is none, and no name without a value", () => {
    expect(headerIndex(undefined, "a")).toBe(-1);
    expect(headerIndex([], "a")).toBe(-1);
    expect(headerIndex(["a"], "a")).toBe(-1);
  });
});
