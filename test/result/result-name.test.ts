import { basename } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resultName } from "../../src/result/result-name.ts";

const AT = new Date("2026-01-02T03:04:05.678Z");

describe("resultName()", () => {
  it.each([
    ["", "20260102T030405Z-ab"],
    ["before", "20260102T030405Z-ab-before"],
    ["new pool/size 2", "20260102T030405Z-ab-new-pool-size-2"],
    ["../../etc", "20260102T030405Z-ab-etc"],
    ["...", "20260102T030405Z-ab"],
    ["größe", "20260102T030405Z-ab-größe"],
  ])("with label %j is %s", (label, name) => {
    expect(resultName(AT, "ab", label)).toBe(name);
  });

  it("resultName() is a plain file name whatever the label", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (label) => {
        const name = resultName(AT, "run", label);
        expect(basename(name)).toBe(name);
        expect(name).toMatch(/^20260102T030405Z-run[\p{L}\p{N}._-]*$/u);
      }),
    );
  });

  it("resultName() refuses a time that is none", () => {
    expect(() => resultName(new Date(Number.NaN), "ab")).toThrow(RangeError);
  });
});
