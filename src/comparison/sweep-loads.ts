/** The cells of a sweep by their load: those of one load got the same arrivals, and are compared among themselves. */

import type { Sweep } from "../result/sweep-schema.ts";

type Cell = Sweep["cells"][number];
type Point = Cell["point"];

/** One load of a sweep, and its cells in their order. */
export interface SweepLoad {
  /** On the axes of the load; empty when none is one. */
  readonly point: Point;
  readonly cells: readonly Cell[];
}

export function loadsOfSweep({ axes, cells }: Pick<Sweep, "axes" | "cells">): readonly SweepLoad[] {
  const loads = new Map<string, { point: Point; cells: Cell[] }>();
  for (const cell of cells) {
    const point = pointOn(axes, "load", cell.point);
    const key = JSON.stringify(point);
    const load = loads.get(key);
    if (load === undefined) loads.set(key, { point, cells: [cell] });
    else load.cells.push(cell);
  }
  return [...loads.values()];
}

/** The part of a point that lies on the axes of one kind. */
export function pointOn(axes: Sweep["axes"], of: Sweep["axes"][number]["of"], point: Point): Point {
  const names = axes.filter((axis) => axis.of === of).map(({ name }) => name);
  return Object.fromEntries(Object.entries(point).filter(([name]) => names.includes(name)));
}

/** `rps=500 vus=10`; empty for no point. */
export function pointText(point: Point): string {
  return Object.entries(point)
    .map(([name, value]) => (name === "policy" ? value : `${name}=${value}`))
    .join(" ");
}

/** An arm among those of its load: what of its name is on the axes of the policy. */
export function shortName({ arm, point }: Cell, axes: Sweep["axes"]): string {
  return pointText(pointOn(axes, "policy", point)) || arm;
}
