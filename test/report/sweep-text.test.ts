import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/report/display-width.ts";
import { renderSweep } from "../../src/report/sweep-text.ts";
import { type Result, resultSchema } from "../../src/result/schema.ts";
import { type CellFacts, INVALID, rates, sweepOfLoads, sweepResult } from "../support/sweep-cases.ts";
import { resultFixture } from "../support/trial-fixture.ts";

const LAW = { capacity: 700, rejectCost: 0.3, source: "The model: shed:capacity=700,rejectCost=0.3." };

function kCells(pairs: number): CellFacts[] {
  return [
    { arm: "k=1.1", k: 1.1, goodput: rates(660, pairs), waste: 0.09, recovery: 41 },
    { arm: "k=1.5", k: 1.5, goodput: rates(605, pairs), waste: 0.33, recovery: 12 },
    { arm: "k=2", k: 2, goodput: rates(539, pairs), waste: 0.5, recovery: 5 },
    { arm: "k=3", k: 3, goodput: rates(437, pairs), waste: 0.67, recovery: null },
  ];
}

const SWEEPS: Readonly<Record<string, Result>> = {
  k: sweepResult(kCells(8), { closedForm: LAW, limits: ["waste<=0.6"] }),
  few: sweepResult(kCells(3), { closedForm: LAW }),
  none: sweepResult(kCells(3), { limits: ["waste<=0.05"] }),
  invalid: sweepResult(kCells(3).map((cell, index) => (index === 0 ? { ...cell, reasons: [INVALID] } : cell))),
  healthy: sweepResult(kCells(3).map((cell) => ({ ...cell, goodput: rates(998, 3) }))),
  loads: sweepOfLoads(),
  partial: { ...sweepResult([...kCells(1).slice(0, 2), { arm: "k=2", goodput: [] }]), partial: true },
};

describe("renderSweep()", () => {
  it.each(Object.entries(SWEEPS))("tells the story of the sweep '%s' as it did", async (name, result) => {
    expect(() => resultSchema.parse(result)).not.toThrow();
    await expect(renderSweep(result)).toMatchFileSnapshot(`../golden/report/sweep-${name}.txt`);
  });

  it.each(Object.entries(SWEEPS))("keeps the lines of '%s' within 100 columns", (_name, result) => {
    for (const line of renderSweep(result).split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  });

  it("ends with what to ship", () => {
    const lines = renderSweep(SWEEPS.k as Result)
      .trimEnd()
      .split("\n");
    const answer = lines.findIndex((line) => line.startsWith("Ship sre with K = 1.1"));
    expect(answer).toBeGreaterThan(0);
    for (const line of lines.slice(answer + 1)) expect(line).toMatch(/^(?: {2}|[a-z])/u);
  });

  it("does not fail on a result without trials", () => {
    expect(renderSweep(resultFixture([], { command: "sweep" }))).toBe("No trial was measured.\n");
  });
});
