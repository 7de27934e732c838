/** What the governor says: one line for each thing that it did, as data and as text. A window that is held says nothing. */

import { SAFE_SHARE } from "./decide.ts";
import type { GovernedQuantity, ResolvedGovernorOptions } from "./governor-options.ts";
import { MEMORY_CLEAR_STREAK } from "./memory-clear-step.ts";

/** The attempts of one window. */
export interface GovernedWindow {
  readonly failures: number;
  /** Those that ended, failed or not. */
  readonly attempts: number;
  /** failures / attempts. */
  readonly frac: number;
  /** The window's nominal length. */
  readonly windowSeconds: number;
}

/**
 * How an offer is raised: `climbing` while no failure is remembered; `reclimbing` to an offer below 75 % of the one that
 * failed; `probing` to one above.
 */
export type ClimbMode = "climbing" | "reclimbing" | "probing";

export type GovernorEvent =
  | ({ readonly kind: "started" } & ResolvedGovernorOptions)
  | ({ readonly kind: "down"; readonly from: number; readonly to: number } & GovernedWindow)
  | ({
      readonly kind: "up";
      readonly mode: ClimbMode;
      readonly from: number;
      readonly to: number;
    } & GovernedWindow)
  /** A window without failures at or above the offer that failed, one of the {@link MEMORY_CLEAR_STREAK} that it takes. */
  | { readonly kind: "evidence"; readonly streak: number; readonly lastBad: number; readonly current: number }
  | { readonly kind: "cleared"; readonly lastBad: number; readonly current: number }
  /** The control did not take an offer. */
  | { readonly kind: "refused"; readonly offer: number; readonly why: string };

/** `debug`: steps towards something; `info`: what is well; `warn`: what is not. */
export type GovernorLevel = "debug" | "info" | "warn";

export interface GovernorLine {
  readonly level: GovernorLevel;
  readonly event: GovernorEvent;
  readonly text: string;
}

export function climbMode(to: number, lastBad: number | undefined): ClimbMode {
  if (lastBad === undefined) return "climbing";
  return to < SAFE_SHARE * lastBad ? "reclimbing" : "probing";
}

export function governorLine(event: GovernorEvent, options: ResolvedGovernorOptions): GovernorLine {
  return { level: levelOf(event), event, text: textOf(event, options) };
}

function levelOf({ kind }: GovernorEvent): GovernorLevel {
  switch (kind) {
    case "started":
    case "up":
    case "cleared":
      return "info";
    case "down":
    case "refused":
      return "warn";
    case "evidence":
      return "debug";
    default:
      return kind satisfies never;
  }
}

function textOf(event: GovernorEvent, { control, high, low, ceiling }: ResolvedGovernorOptions): string {
  switch (event.kind) {
    case "started":
      return (
        `${control} starts at ${quantity(event.start)}, ceiling ${quantity(ceiling)}, floor ${quantity(event.floor)}: ` +
        `lowered above ${percent(high)} failed attempts in ${event.windowSeconds} s, raised below ${percent(low)}`
      );
    case "down":
      return `${failed(event)} > ${percent(high)}: ${moved(control, event)}`;
    case "up":
      return `${failed(event)} < ${percent(low)}: ${event.mode}, ${moved(control, event)} (ceiling ${quantity(ceiling)})`;
    case "evidence":
      return (
        `clean at ${control} ${quantity(event.current)}, not below ${quantity(event.lastBad)} that failed: ` +
        `${event.streak} of ${MEMORY_CLEAR_STREAK} windows to forget it`
      );
    case "cleared":
      return (
        `clean for ${MEMORY_CLEAR_STREAK} windows at or above ${control} ${quantity(event.lastBad)} that failed, ` +
        `now ${quantity(event.current)}: forgotten`
      );
    case "refused":
      return `${control} did not take ${quantity(event.offer)}: ${event.why}`;
    default:
      return event satisfies never;
  }
}

function failed({ frac, failures, attempts, windowSeconds }: GovernedWindow): string {
  return `${percent(frac)} of attempts failed (${failures}/${attempts} in ${windowSeconds} s)`;
}

function moved(control: GovernedQuantity, { from, to }: { readonly from: number; readonly to: number }): string {
  return `${control} ${quantity(from)} -> ${quantity(to)}`;
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}

function quantity(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "∞";
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
