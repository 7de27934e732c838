/** The closed form of goodput, where it says something, over the axis of a sweep's plots. */

import { closedFormGoodput } from "../../comparison/closed-form.ts";
import type { Sweep } from "../../result/sweep-schema.ts";
import { median } from "../../stats/median.ts";
import type { DrawnAxis } from "./sweep-axis.ts";
import type { CellPoint, SweepLine } from "./sweep-lines.ts";

interface Place {
  readonly x: number;
  readonly y: number;
}

const STEPS = 120;

/** What the cell would serve by the closed form; undefined where that does not hold, or there is none. */
export function theoryOf({ closedForm }: Sweep, { cell, arm }: CellPoint): number | undefined {
  if (closedForm === undefined || cell.k === undefined) return undefined;
  return closedFormGoodput(closedForm, cell.k, median(arm.trials.map(({ rates }) => rates.offered)));
}

/** A curve for each load over K, or for each K over the load, in pieces: none where the closed form says nothing. */
export function theoryCurves({ closedForm }: Sweep, axis: DrawnAxis, lines: readonly SweepLine[]): Place[][] {
  if (closedForm === undefined || !axis.numeric) return [];
  const { capacity, rejectCost } = closedForm;
  const [low, high] = axis.scale.domain;
  const even = Array.from({ length: STEPS + 1 }, (_, index) => low + ((high - low) * index) / STEPS);
  const curve = (at: readonly number[], served: (x: number) => number | undefined): Place[][] =>
    pieces(at.filter((x) => x >= low && x <= high).map((x) => ({ x, y: served(x) })));
  const all: Place[][] = [];
  if (axis.name === "k") {
    for (const offered of distinct(lines.map(offeredOf))) {
      const ks = even.filter((k) => k > 1);
      all.push(...curve(ks, (k) => closedFormGoodput(closedForm, k, offered)));
    }
  }
  if (axis.name === "rps") {
    for (const k of distinct(lines.flatMap(({ points }) => points.map(({ cell }) => cell.k)))) {
      // Where it begins and ends to hold is drawn to the point.
      const edges = [capacity, (k * capacity) / (1 + rejectCost * (k - 1))];
      const rates = [...even, ...edges].sort((a, b) => a - b);
      all.push(...curve(rates, (rate) => closedFormGoodput(closedForm, k, rate)));
    }
  }
  return [...new Map(all.map((piece) => [JSON.stringify(piece), piece])).values()];
}

/** Of a line over K, whose cells had the same load; undefined where none has a K. */
function offeredOf({ points }: SweepLine): number | undefined {
  const offered = points
    .filter(({ cell }) => cell.k !== undefined)
    .flatMap(({ arm }) => arm.trials.map(({ rates }) => rates.offered));
  return offered.length === 0 ? undefined : median(offered);
}

function distinct(values: readonly (number | undefined)[]): number[] {
  return [...new Set(values)].filter((value) => value !== undefined);
}

function pieces(places: readonly { readonly x: number; readonly y: number | undefined }[]): Place[][] {
  const found: Place[][] = [[]];
  for (const { x, y } of places) {
    if (y === undefined) found.push([]);
    else found.at(-1)?.push({ x, y });
  }
  return found.filter((piece) => piece.length > 1);
}
