/** The governor's part of a trial's record. */

import type { Governed, GovernedWindowRow } from "../result/governor-schema.ts";
import { borneOf, restFigures, restOf } from "../stats/at-rest.ts";
import type { GovernedPart } from "./trial-part.ts";
import type { GovernorSpec } from "./trial-spec.ts";

/** A governor's options as they stand in files: JSON has no infinity. */
export type GovernorRow = Omit<GovernorSpec, "ceiling"> & { readonly ceiling: number | null };

type Means = Pick<Governed, "offer" | "goodput" | "failedShare">;

/** Of a trial that was cut off before the governor was heard of. */
const NOTHING_DONE: GovernedPart = { ended: "interrupted", windows: [], events: [] };

export function governorRow({ ceiling, ...spec }: GovernorSpec): GovernorRow {
  const { control, high, low, floor, start, windowSeconds, holdWindows, holdBand } = spec;
  return {
    control,
    high,
    low,
    floor,
    ceiling: Number.isFinite(ceiling) ? ceiling : null,
    start,
    windowSeconds,
    holdWindows,
    holdBand,
  };
}

export function governorOfRow({ ceiling, ...row }: GovernorRow): GovernorSpec {
  return { ...row, ceiling: ceiling ?? Number.POSITIVE_INFINITY };
}

/** @param part what it did; undefined: nothing that is known. */
export function governedRecord(spec: GovernorSpec, part: GovernedPart | undefined): Governed {
  const { ended, windows, events } = part ?? NOTHING_DONE;
  return {
    ...governorRow(spec),
    ended,
    ...meansOf(borneOf(restOf(windows, spec), spec), spec.control),
    windows,
    events,
  };
}

function meansOf(rest: readonly GovernedWindowRow[], control: GovernorSpec["control"]): Means {
  const { offer, goodput, failures, attempts } = restFigures(rest, control);
  return { offer, goodput, failedShare: attempts > 0 ? failures / attempts : null };
}
