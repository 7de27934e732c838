import { describe, expect, it } from "vitest";
import { sineOfTurns } from "../../src/plan/sine.ts";

describe("sineOfTurns", () => {
  it.each([
    [0, 0],
    [0.25, 1],
    [0.5, 0],
    [-0.25, -1],
    [0.75, -1],
    [1_000_000_000.25, 1],
    [2 ** 52, 0],
  ])("sineOfTurns(%d) is %d, exactly", (turns, sine) => {
    expect(Math.abs(sineOfTurns(turns) - sine)).toBe(0);
  });

  // Arguments and the doubles nearest to their sines, by mpmath with 200 bits.
  it.each([
    [0.1, 0.5877852522924731],
    [0.125, Math.SQRT1_2],
    [0.2, 0.9510565162951536],
    [1 / 3, 0.8660254037844387],
    [0.7, -0.9510565162951535],
    [0.6180339887498949, -0.6754902942615238],
    [123456.789, -0.9701265964835402],
  ])("sineOfTurns(%d) is within 2e-16 of %d", (turns, sine) => {
    expect(Math.abs(sineOfTurns(turns) - sine)).toBeLessThan(2.3e-16);
  });

  it.each([
    [1e-9, 6.283185307179587e-9],
    [0.49999999999999994, 3.487868498008632e-16],
  ])("sineOfTurns(%d) is %d to 4e-16 of itself", (turns, sine) => {
    expect(Math.abs(sineOfTurns(turns) / sine - 1)).toBeLessThan(4e-16);
  });

  it("sineOfTurns(u) is within 1e-15 of Math.sin, whose argument is rounded", () => {
    let worst = 0;
    for (let i = -100_003; i <= 100_003; i++) {
      const turns = i / 100_003;
      worst = Math.max(worst, Math.abs(sineOfTurns(turns) - Math.sin(2 * Math.PI * turns)));
    }
    expect(worst).toBeLessThan(1e-15);
  });

  it("sineOfTurns(u) has the symmetries of a sine, exactly", () => {
    for (let i = 0; i < 1_000; i++) {
      const turns = i / 1_024;
      expect(Math.abs(sineOfTurns(-turns) + sineOfTurns(turns))).toBe(0);
      expect(sineOfTurns(turns + 12_345)).toBe(sineOfTurns(turns));
      expect(Math.abs(sineOfTurns(turns + 0.5))).toBe(Math.abs(sineOfTurns(turns)));
    }
  });

  it("sineOfTurns() gives the same bits on every runtime", () => {
    const view = new DataView(new ArrayBuffer(8));
    let hash = 0;
    for (let i = 0; i < 100_000; i++) {
      view.setFloat64(0, sineOfTurns(i * 0.6180339887498949));
      hash = (Math.imul(hash, 31) + view.getInt32(0)) | 0;
      hash = (Math.imul(hash, 31) + view.getInt32(4)) | 0;
    }
    expect(hash).toBe(1583095352);
  });
});
