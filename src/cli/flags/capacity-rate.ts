/** `--rps 2x-capacity`: a rate that is a multiple of what the target takes, which is found out first. */

import { parseRate } from "../../plan/units.ts";
import { CliError } from "../cli-error.ts";
import type { GovernorChoice } from "./governor-flag.ts";

/** A rate in capacities. */
export interface CapacityRate {
  readonly timesCapacity: number;
}

/** Calls per second, or a multiple of a capacity that may not be known yet. */
export type RpsFlag = number | CapacityRate;

/** What `--governor` means where no rate is given. */
export const GOVERNED_RATE: CapacityRate = { timesCapacity: 2 };

const MULTIPLE = /^(?:(\d+(?:\.\d+)?)x-)?capacity$/u;
/** Of a product. What the capacity's figure has beyond them is chance. */
const DIGITS = 4;

/**
 * Parses a rate, `2x-capacity`, or `capacity`, which is that once.
 *
 * @throws RangeError
 */
export function parseRps(text: string): RpsFlag {
  if (!text.includes("capacity")) return parseRate(text);
  const match = MULTIPLE.exec(text);
  const timesCapacity = Number(match?.[1] ?? 1);
  if (match !== null && timesCapacity > 0 && Number.isFinite(timesCapacity)) return { timesCapacity };
  throw new RangeError(
    `must be a rate such as 2000, or a multiple of the capacity such as 2x-capacity, 0.9x-capacity or capacity: current value is ${JSON.stringify(text)}`,
  );
}

export function isMultiple(rps: RpsFlag | undefined): rps is CapacityRate {
  return typeof rps === "object";
}

/** As the flag writes it. */
export function multipleText({ timesCapacity }: CapacityRate): string {
  return `${timesCapacity}x-capacity`;
}

/** In calls per second. */
export function rpsAt(rps: RpsFlag, capacityRps: number): number {
  return isMultiple(rps) ? Number((rps.timesCapacity * capacityRps).toPrecision(DIGITS)) : rps;
}

/** What else may say when calls arrive. */
interface Rates {
  readonly governor?: GovernorChoice;
  readonly stages?: unknown;
  readonly sine?: unknown;
  readonly replay?: unknown;
}

/** The rate of the flags: where `--governor` is all that speaks of one, {@link GOVERNED_RATE}. */
export function rateAsked(flags: Rates & { readonly rps?: RpsFlag }): RpsFlag | undefined {
  const { rps, governor, stages, sine, replay } = flags;
  const isElsewhere = stages !== undefined || sine !== undefined || replay !== undefined;
  return rps ?? (governor === undefined || isElsewhere ? undefined : GOVERNED_RATE);
}

/** That the governor has something to find. @param rates of `--rps`, as many as it lists. @throws CliError */
export function checkGoverned({ governor, stages, sine, replay }: Rates, rates: readonly RpsFlag[]): void {
  if (governor === undefined || rates.some(isMultiple)) return;
  const [other] = Object.entries({ rps: rates[0], stages, sine, replay }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (other === undefined) return;
  throw new CliError(
    `--governor finds a capacity for a load that is a multiple of it, such as --rps 2x-capacity: --${other} says another one`,
  );
}
