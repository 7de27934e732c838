/** `--criticality`: how many of the calls matter how much. */

import { CRITICALITY_NAMES, type CriticalityMix } from "../../policy/criticality.ts";

const RULE = "must give a weight to classes, as in critical=70,sheddable=30";

/**
 * Parses `critical-plus=10,critical=50,sheddable-plus=20,sheddable=20`: weights of any sum, 0 for a class that is not named.
 *
 * @throws RangeError that says the rule and the value, but not the flag.
 */
export function criticalityMix(text: string): CriticalityMix {
  const weights = new Map<string, number>();
  for (const part of text.split(",")) {
    const [, name = "", weight] = /^\s*([a-z-]+)=(\d+(?:\.\d+)?)\s*$/.exec(part) ?? [];
    const known = CRITICALITY_NAMES.find((candidate) => nameOf(candidate) === name);
    if (known === undefined || weight === undefined || weights.has(known)) throw refusal(text);
    weights.set(known, Number(weight));
  }
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0);
  if (!(sum > 0 && Number.isFinite(sum))) throw refusal(text);
  const share = (index: 0 | 1 | 2 | 3): number => (weights.get(CRITICALITY_NAMES[index]) ?? 0) / sum;
  return [share(0), share(1), share(2), share(3)];
}

function nameOf(criticality: string): string {
  return criticality.toLowerCase().replaceAll("_", "-");
}

function refusal(text: string): RangeError {
  const names = CRITICALITY_NAMES.map(nameOf).join(", ");
  return new RangeError(`${RULE} (there are ${names}): current value is "${text}"`);
}
