import { describe, expect, it } from "vitest";
import { createSubject } from "../../../src/report/html/subject.ts";
import { chooseAxis, drawnAxis } from "../../../src/report/html/sweep-axis.ts";
import { drawnLimit } from "../../../src/report/html/sweep-limits.ts";
import { sweepLines } from "../../../src/report/html/sweep-lines.ts";
import { standingsPart } from "../../../src/report/html/sweep-standings.ts";
import { theoryCurves, theoryOf } from "../../../src/report/html/sweep-theory.ts";
import type { SweepStanding } from "../../../src/result/sweep-schema.ts";
import { type CellFacts, sweepResult } from "../../support/sweep-cases.ts";

const LAW = { capacity: 100, rejectCost: 0.1, source: "The model." };

/** K = 1.3 and 2 at each of the rates; C = 100, so that A is 97 and 91. */
function lawSweep(rates: readonly number[]): ReturnType<typeof sweepResult> {
  const cells = rates.flatMap((rps) =>
    [1.3, 2].map(
      (k): CellFacts => ({
        arm: `k=${k} rps=${rps}`,
        k,
        point: { k: String(k), rps: String(rps) },
        goodput: [Math.min(rps, 90)],
        offered: rps,
      }),
    ),
  );
  const axes = [
    { name: "k", of: "policy" as const, values: ["1.3", "2"] },
    { name: "rps", of: "load" as const, values: rates.map(String) },
  ];
  return sweepResult(cells, { closedForm: LAW, axes });
}

describe("the limits that a sweep's plots show", () => {
  it.each([
    ["waste<=0.3", { metric: "waste", value: 0.3 }],
    ["waste<=90%", { metric: "waste", value: 0.9 }],
    ["response.ok.p99Ms<=250ms", { metric: "responseOkP99Ms", value: 250 }],
    ["response.ok.p99.9Ms<1s", { metric: "responseOkP999Ms", value: 1000 }],
    ["250>response.ok.p99Ms", { metric: "responseOkP99Ms", value: 250 }],
    ["rates.goodput>=400", { metric: "goodput", value: 400 }],
    ["goodput>=0.9*offered", undefined],
    ["drainSeconds<3", undefined],
    ["not an assertion", undefined],
  ])("the limit %s is drawn at its value in the metric's unit, or not at all", (text, limit) => {
    expect(drawnLimit(text)).toEqual(limit);
  });
});

describe("the closed form on a sweep's plots", () => {
  const drawn = (rates: readonly number[], axisName: string) => {
    const result = lawSweep(rates);
    const subject = createSubject("a", result);
    const sweep = result.sweep!;
    const axis = drawnAxis(sweep.axes.find(({ name }) => name === axisName)!);
    const lines = sweepLines(sweep, subject.arms, axis);
    return { sweep, lines, curves: theoryCurves(sweep, axis, lines) };
  };

  it("is all that is offered where the target can do that", () => {
    const { sweep, lines, curves } = drawn([60], "k");
    expect(lines.flatMap(({ points }) => points.map((point) => theoryOf(sweep, point)))).toEqual([60, 60]);
    expect(new Set(curves.flat().map(({ y }) => y))).toEqual(new Set([60]));
  });

  it("is not drawn between the load that is served and the one that it holds from", () => {
    const { sweep, lines, curves } = drawn([60, 110, 150, 300], "rps");
    const inside = (x: number): boolean => curves.some((piece) => piece[0]!.x <= x && x <= piece.at(-1)!.x);
    expect([60, 110, 300].map(inside)).toEqual([true, false, true]);
    expect(curves.some((piece) => Math.abs(piece.at(-1)!.x - 100) < 1e-9)).toBe(true);
    const low = lines.find(({ label }) => label === "k=1.3")!;
    const values = low.points.map((point) => theoryOf(sweep, point));
    expect(values.slice(0, 2)).toEqual([60, undefined]);
    expect(values[3]).toBeCloseTo(100 / 1.03);
  });

  it("has for each load a curve of its own over K, and one where the loads make no difference", () => {
    expect(drawn([60, 80], "k").curves).toHaveLength(2);
    expect(drawn([400, 800], "k").curves).toHaveLength(1);
  });

  it("goes over K where a sweep has one", () => {
    expect(chooseAxis(lawSweep([60, 300]).sweep!)?.name).toBe("k");
  });
});

describe("standingsPart()", () => {
  it.each([
    ["equivalent", "good"],
    ["undecided", "none"],
    ["lower", "none"],
    ["worse", "bad"],
  ] as const)("standingsPart() draws what is %s in the tone %s", (verdict, tone) => {
    const result = lawSweep([300]);
    const standing = (arm: string, is: SweepStanding["verdict"]): SweepStanding => ({
      arm,
      verdict: is,
      ratio: is === "best" ? 1 : 0.9,
      pValue: null,
    });
    const recommendation = {
      load: {},
      arm: null,
      plateau: [],
      excluded: [],
      reasons: [],
      sentence: "Nothing.",
      best: "k=1.3 rps=300",
      standings: [standing("k=1.3 rps=300", "best"), standing("k=2 rps=300", verdict)],
    };
    const { markup } = standingsPart(createSubject("a", result), {
      ...result.sweep!,
      recommendations: [recommendation],
    });
    expect([...markup.matchAll(/class="tone-(\w+) forest"/gu)].map(([, name]) => name)).toEqual(["good", tone]);
  });
});
