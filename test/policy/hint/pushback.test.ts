import { describe, expect, it } from "vitest";
import { NO_RETRY, pushbackSeconds } from "../../../src/policy/hint/pushback.ts";

const NAME = "grpc-retry-pushback-ms";

describe("pushbackSeconds()", () => {
  it.each([
    ["0", 0],
    ["1", 0.001],
    ["250", 0.25],
    ["2147483647", 2_147_483.647],
  ])("%s ms is a retry after %f s", (value, seconds) => {
    expect(pushbackSeconds([NAME, value])).toBe(seconds);
  });

  it.each([
    "-1",
    "-2147483648",
    "2147483648",
    "99999999999",
    "",
    " 1",
    "1 ",
    "+1",
    "01",
    "-0",
    "1.5",
    "1e3",
    "0x1",
    "x",
  ])("%o asks for no retry", (value) => {
    expect(pushbackSeconds([NAME, value])).toBe(NO_RETRY);
  });

  it("a repeated one asks for no retry", () => {
    expect(pushbackSeconds([NAME, "5", "x", "y", NAME, "5"])).toBe(NO_RETRY);
  });

  it.each([[undefined], [[]], [["retry-after", "5"]], [["x", NAME]]])("%o has none", (headers) => {
    expect(pushbackSeconds(headers)).toBeUndefined();
  });
});
