/** The cells of a sweep as lines over one of its axes: one for each combination of the others. */

import type { Sweep } from "../../result/sweep-schema.ts";
import type { ArmView } from "./subject.ts";
import type { DrawnAxis } from "./sweep-axis.ts";

type Cell = Sweep["cells"][number];

/** What the recommendations say of a cell. */
export type Standing = "recommended" | "plateau" | "excluded" | "other";

export interface CellPoint {
  readonly cell: Cell;
  readonly arm: ArmView;
  /** On the axis. */
  readonly x: number;
  readonly standing: Standing;
}

export interface SweepLine {
  readonly index: number;
  /** `policy=sre, rps=500`; empty where there is but one. */
  readonly label: string;
  /** By their place on the axis. */
  readonly points: readonly CellPoint[];
}

export function sweepLines(sweep: Sweep, arms: readonly ArmView[], axis: DrawnAxis): SweepLine[] {
  const byName = new Map(arms.map((arm) => [arm.name, arm]));
  const others = sweep.axes.filter(({ name, values }) => name !== axis.name && values.length > 1);
  const groups = new Map<string, CellPoint[]>();
  for (const cell of sweep.cells) {
    const arm = byName.get(cell.arm);
    const value = cell.point[axis.name];
    if (arm === undefined) continue;
    const label = others.map(({ name }) => `${name}=${cell.point[name] ?? "-"}`).join(", ");
    // A cell that is not on the axis, as a policy without a K, stands at no place of it.
    const x = value === undefined ? Number.NaN : axis.place(value);
    const group = groups.get(label) ?? [];
    group.push({ cell, arm, x, standing: standingOf(sweep, cell.arm) });
    groups.set(label, group);
  }
  return [...groups].map(([label, points], index) => ({
    // A line that is alone needs no dashes to be told apart.
    index: groups.size === 1 ? 1 : index,
    label,
    points: points.sort((a, b) => a.x - b.x),
  }));
}

function standingOf({ recommendations }: Sweep, arm: string): Standing {
  if (recommendations.some((recommendation) => recommendation.arm === arm)) return "recommended";
  if (recommendations.some(({ plateau }) => plateau.includes(arm))) return "plateau";
  if (recommendations.some(({ excluded }) => excluded.some((entry) => entry.arm === arm))) return "excluded";
  return "other";
}
