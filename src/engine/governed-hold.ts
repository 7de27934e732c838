/** When the offer of a governor has come to rest. */

import type { GovernedWindowRow } from "../result/governor-schema.ts";
import type { GovernorSpec } from "./trial-spec.ts";

type HoldRule = Pick<GovernorSpec, "holdWindows" | "holdBand" | "ceiling">;

/** The last windows, as many as a hold takes; fewer where there were not that many. */
export function lastWindows(
  windows: readonly GovernedWindowRow[],
  { holdWindows }: Pick<HoldRule, "holdWindows">,
): readonly GovernedWindowRow[] {
  return windows.slice(-holdWindows);
}

/** Highest / lowest offer - 1; infinite where there is none. */
export function spreadOf(windows: readonly GovernedWindowRow[]): number {
  const offers = windows.map(({ offer }) => offer);
  return windows.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...offers) / Math.min(...offers) - 1;
}

/** Whether the offer had met a bound: attempts failed and it was cut, or it is at its ceiling. Until then it has still to climb. */
export function hasMetBound(windows: readonly GovernedWindowRow[], { ceiling }: Pick<HoldRule, "ceiling">): boolean {
  const last = windows.at(-1);
  return (last !== undefined && last.offer >= ceiling) || windows.some(({ decision }) => decision === "down");
}

/**
 * True when the highest offer of the last `holdWindows` windows, in each of which attempts ended, is at most 1 + `holdBand` times
 * the lowest one, once a bound was met.
 */
export function hasHeld(windows: readonly GovernedWindowRow[], rule: HoldRule): boolean {
  const last = lastWindows(windows, rule);
  return (
    last.length === rule.holdWindows &&
    last.every(({ decision }) => decision !== "none") &&
    spreadOf(last) <= rule.holdBand &&
    hasMetBound(windows, rule)
  );
}
