import { describe, expect, it } from "vitest";
import { medianTime, recoverySeconds } from "../../src/stats/recovery-time.ts";

/** Nine calls a second, of which the digit came back ok. */
function seconds(text: string): { offered: number; ok: number }[] {
  return [...text].map((digit) => ({ offered: 9, ok: Number(digit) }));
}

describe("recoverySeconds()", () => {
  it.each([
    ["0000099999", 0, 5],
    ["0000099999", 5, 0],
    ["9999909999999", 0, 0],
    ["99999099999", 0, 0],
    ["000008999999", 0, 5],
    ["00000779999999", 0, 6],
    ["9999", 0, undefined],
    ["0009999999", 2.5, 0],
  ])("of %s from second %d on is %s", (text, from, recovery) => {
    expect(recoverySeconds(seconds(text), from)).toBe(recovery);
  });

  it.each([
    [0.5, 3],
    [0.8, 4],
    [1, 6],
  ])("is the time to the share that is asked for: %d after %d s", (share, recovery) => {
    expect(recoverySeconds(seconds("00005599999999"), 0, share)).toBe(recovery);
  });

  it("takes five seconds without calls for no recovery", () => {
    const idle = { offered: 0, ok: 0 };
    expect(recoverySeconds([idle, idle, idle, idle, idle, idle], 0)).toBeUndefined();
    expect(recoverySeconds([idle, idle, idle, idle, { offered: 1, ok: 1 }], 0)).toBe(0);
  });

  it("needs five seconds within the load: what follows the last call is the drain", () => {
    const good = { offered: 9, ok: 9 };
    const idle = { offered: 0, ok: 0 };
    expect(recoverySeconds([good, good, good, good, idle, idle, idle], 0)).toBeUndefined();
    expect(recoverySeconds([good, good, good, good, good, idle, idle], 0)).toBe(0);
  });
});

describe("medianTime()", () => {
  it.each<[values: readonly (number | null)[], expected: number | null]>([
    [[3, 1, 2], 2],
    [[1, 4], 2.5],
    [[null, 1, 2], 2],
    [[1, null], null],
    [[null, null, 1], null],
    [[], null],
  ])("of %j is %s: null is later than any", (values, expected) => {
    expect(medianTime(values)).toBe(expected);
  });
});
