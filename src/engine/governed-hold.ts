/** When the offer of a governor has come to rest. */

import type { GovernedWindowRow } from "../result/governor-schema.ts";
import { restOf } from "../stats/at-rest.ts";
import type { GovernorSpec } from "./trial-spec.ts";

type HoldRule = Pick<GovernorSpec, "holdWindows" | "holdBand" | "ceiling" | "high">;

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

/** Whether all of them lie within the band. */
export function isSteady(windows: readonly GovernedWindowRow[], rule: HoldRule): boolean {
  return restOf(windows, rule).length === windows.length;
}

/**
 * Whether the offer had met a bound: it is at its ceiling, or attempts failed, so that it was cut or, while they were bearable, left
 * where it was. Until then it has still to climb.
 */
export function hasMetBound(
  windows: readonly GovernedWindowRow[],
  { ceiling, high }: Pick<HoldRule, "ceiling" | "high">,
): boolean {
  const last = windows.at(-1);
  if (last !== undefined && last.offer >= ceiling) return true;
  return windows.some(
    ({ decision, failures, successes }) =>
      decision === "down" || (decision === "hold" && failures > 0 && failures <= high * (successes + failures)),
  );
}

/**
 * True when the last `holdWindows` windows, in each of which attempts ended, are at rest (see {@link restOf}: the highest offer is
 * at most 1 + `holdBand` times the lowest one, or 1 above it), once a bound was met.
 */
export function hasHeld(windows: readonly GovernedWindowRow[], rule: HoldRule): boolean {
  const last = lastWindows(windows, rule);
  return (
    last.length === rule.holdWindows &&
    last.every(({ decision }) => decision !== "none") &&
    isSteady(last, rule) &&
    hasMetBound(windows, rule)
  );
}
