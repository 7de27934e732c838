/** The axis of a sweep that its plots are drawn over, and the lines that the other axes make. */

import type { Sweep } from "../../result/sweep-schema.ts";
import { shorten } from "./arm-name.ts";
import { ACROSS } from "./plot.ts";
import { exactScale, logScale, type Scale } from "./scales.ts";

type SweepAxis = Sweep["axes"][number];

export interface DrawnAxis {
  readonly name: string;
  readonly label: string;
  /** Numbers by how much they are, other values by their place in the list. */
  readonly place: (value: string) => number;
  readonly scale: Scale;
  readonly format: (place: number) => string;
  readonly numeric: boolean;
}

const NUMBER = /^(?<number>\d+(?:\.\d+)?)(?<unit>[^\d.]*)$/u;
/** From this factor between the ends on, steps are even factors. */
const LOG_FROM = 12;
/** Room that the label of a tick takes. */
const LABEL_WIDTH = 36;
/** A name has more of it when there are few. */
const CATEGORY_ROOM = 360;
const CHARACTER = 6.6;

/** K before all others, then the axis with the most numbers, then the one with the most values. */
export function chooseAxis({ axes }: Sweep): SweepAxis | undefined {
  const many = axes.filter(({ values }) => values.length > 1);
  const numeric = many.filter(({ values }) => numbersOf(values) !== undefined);
  const longest = (list: readonly SweepAxis[]): SweepAxis | undefined =>
    [...list].sort((a, b) => b.values.length - a.values.length)[0];
  return numeric.find(({ name }) => name === "k") ?? longest(numeric) ?? longest(many) ?? axes[0];
}

export function drawnAxis({ name, values }: SweepAxis): DrawnAxis {
  const numbers = numbersOf(values);
  return numbers === undefined ? namesAxis(name, values) : numbersAxis(name, values, numbers);
}

/** undefined unless all are numbers in the same unit. */
function numbersOf(values: readonly string[]): Map<string, number> | undefined {
  const parsed = values.map((value) => NUMBER.exec(value)?.groups);
  const units = new Set(parsed.map((groups) => groups?.unit));
  if (units.size !== 1 || units.has(undefined)) return undefined;
  return new Map(values.map((value, index) => [value, Number(parsed[index]?.number)]));
}

function numbersAxis(name: string, values: readonly string[], numbers: ReadonlyMap<string, number>): DrawnAxis {
  const sorted = [...numbers.values()].sort((a, b) => a - b);
  const low = sorted[0] ?? 0;
  const high = sorted.at(-1) ?? 1;
  const margin = (high - low) * 0.06 || 0.5;
  const scale =
    low > 0 && high / low >= LOG_FROM
      ? logScale([low / 1.15, high * 1.15], ACROSS)
      : exactScale([low - margin, high + margin], ACROSS);
  const unit = NUMBER.exec(values[0] ?? "")?.groups?.unit ?? "";
  return {
    name,
    label: `${name === "k" ? "K" : name}${unit === "" ? "" : `, ${unit.replace(/^\//u, "per ")}`}`,
    place: (value) => numbers.get(value) ?? Number.NaN,
    scale: { ...scale, ticks: spaced(sorted, scale) },
    format: (place) => String(place),
    numeric: true,
  };
}

function namesAxis(name: string, values: readonly string[]): DrawnAxis {
  const scale = exactScale([-0.5, values.length - 0.5], ACROSS);
  const room = Math.max(3, Math.floor(CATEGORY_ROOM / values.length / CHARACTER));
  return {
    name,
    label: shorten(name, 40),
    place: (value) => values.indexOf(value),
    scale: { ...scale, ticks: values.map((_, index) => index) },
    format: (place) => shorten(values[place] ?? "", room),
    numeric: false,
  };
}

/** Those of the values whose labels do not meet. */
function spaced(sorted: readonly number[], scale: Scale): number[] {
  const ticks: number[] = [];
  for (const value of sorted) {
    const last = ticks.at(-1);
    if (last === undefined || scale.at(value) - scale.at(last) >= LABEL_WIDTH) ticks.push(value);
  }
  return ticks;
}
