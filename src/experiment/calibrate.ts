/** The search for a generator's ceiling: the highest rate that holds. */

/** Rates are whole calls per second. */
export interface SearchOptions {
  readonly startRps: number;
  /** Lower ones, and higher ones, are not tried. */
  readonly leastRps: number;
  readonly mostRps: number;
  /** The search ends when the lowest rate that failed is at most this share above the highest that held. */
  readonly precision: number;
}

export const SEARCH: SearchOptions = { startRps: 1000, leastRps: 100, mostRps: 1_000_000, precision: 0.05 };

/** A disturbance of a moment must not pass for the ceiling: a rate that fails is tried once more. */
const CHANCES = 2;

/** Tries a rate; undefined ends the search. */
export type Trying = (rps: number) => Promise<boolean | undefined>;

/**
 * Doubles the rate until it fails, bisects between the highest rate that held and the lowest that failed, and confirms the
 * result by a repeat; when that fails, it goes down by steps that grow until one holds.
 *
 * @returns the highest rate that held, 0 when none did, undefined when the search was ended.
 */
export async function findCeiling(holds: Trying, options: SearchOptions = SEARCH): Promise<number | undefined> {
  const { leastRps, mostRps, precision } = options;
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  while (high - low > Math.max(1, low * precision) && low < mostRps && high > leastRps) {
    const rps = nextRate(low, high, options);
    const held = await holdsInTwo(holds, rps);
    if (held === undefined) return undefined;
    if (held) low = rps;
    else high = rps;
  }
  return await confirmed(low, holds, options);
}

function nextRate(low: number, high: number, { startRps, leastRps, mostRps }: SearchOptions): number {
  if (high === Number.POSITIVE_INFINITY) return low === 0 ? startRps : Math.min(mostRps, 2 * low);
  return low === 0 ? Math.max(leastRps, Math.floor(high / 2)) : Math.round(Math.sqrt(low * high));
}

async function confirmed(found: number, holds: Trying, options: SearchOptions): Promise<number | undefined> {
  let rps = found;
  for (let share = 1 - options.precision; rps >= options.leastRps; share *= share) {
    const held = await holdsInTwo(holds, rps);
    if (held !== false) return held === undefined ? undefined : rps;
    rps = Math.floor(rps * share);
  }
  return 0;
}

async function holdsInTwo(holds: Trying, rps: number): Promise<boolean | undefined> {
  let held: boolean | undefined = false;
  for (let chance = 0; chance < CHANCES && held === false; chance += 1) held = await holds(rps);
  return held;
}
