/** `--sim`: a server model and its parameters. */

import type { ShedModelSpec } from "../engine/trial-spec.ts";
import { parseDuration } from "../plan/units.ts";
import { parseComposite } from "./composite.ts";

/** The bucket size for which the closed forms hold: the accepted rate at an offered load of 1.25 C is .997 C. */
const DEFAULT_BURST = 10;

const KEYS = ["capacity", "burst", "rejectCost", "latency"] as const;

/**
 * Parses `shed:capacity=100,burst=10,rejectCost=0.3,latency=5ms`. Only `capacity` is required.
 *
 * @throws RangeError that says the rule and the value, but not the flag.
 */
export function parseSim(text: string): ShedModelSpec {
  const { name, options } = parseComposite(text);
  if (name !== "shed") throw new RangeError(`must name a server model: there is shed: current value is "${text}"`);
  for (const key of Object.keys(options)) {
    if ((KEYS as readonly string[]).includes(key)) continue;
    throw new RangeError(`must use the options of shed (${KEYS.join(", ")}), not '${key}': current value is "${text}"`);
  }
  const number = (key: string, least: number, otherwise: number | undefined): number => {
    const given = options[key];
    const value = given === undefined ? otherwise : /^[\d.]+(?:e\d+)?$/i.test(given) ? Number(given) : Number.NaN;
    if (value !== undefined && Number.isFinite(value) && value >= least) return value;
    throw new RangeError(`must give '${key}' as a number of at least ${least}: current value is "${text}"`);
  };
  const capacity = number("capacity", 0, 0);
  if (capacity === 0) throw new RangeError(`must give 'capacity' as a number above 0: current value is "${text}"`);
  return {
    name: "shed",
    capacity,
    burst: number("burst", 1, DEFAULT_BURST),
    rejectCost: number("rejectCost", 0, 0),
    latencySeconds: options.latency === undefined ? 0 : latency(options.latency),
  };
}

function latency(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new RangeError(`must give 'latency' rightly: it ${(error as Error).message}`);
  }
}
