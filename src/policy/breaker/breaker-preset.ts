/** What the presets of breakers have in common. */

import { ComposedPolicy, type PolicyParts } from "../composed-policy.ts";
import { maxAttemptsOption, type NumberSpec } from "../option.ts";
import type { Breaker } from "../parts.ts";
import type { Random } from "../policy.ts";
import type { PolicyPreset } from "../preset.ts";

const DAY = 86_400;
/** Keeps the memory of a window below a megabyte. */
export const MOST_CALLS = 1_000_000;
export const MOST_BUCKETS = 1_000;

/** The breakers come without a retry loop, so their default is not to retry. */
const maxAttempts = { ...maxAttemptsOption, default: 1 } as const satisfies NumberSpec;

export const probeTimeout = seconds(
  60,
  "A probe without a result for this long makes room for another, so that none can lock the breaker",
);

export function seconds(defaultSeconds: number, doc: string, min = 0.001): NumberSpec {
  return { default: defaultSeconds, kind: "number", min, max: DAY, unit: "seconds", doc };
}

export function count(defaultCount: number, doc: string, min = 1, max = MOST_CALLS): NumberSpec {
  return { default: defaultCount, kind: "integer", min, max, unit: "count", doc };
}

export function ratio(defaultRatio: number, doc: string, max = 1, min = 0): NumberSpec {
  return { default: defaultRatio, kind: "number", min, max, unit: "ratio", doc };
}

export function percent(defaultPercent: number, doc: string): NumberSpec {
  return ratio(defaultPercent, `${doc}, in percent`, 100);
}

/** The values of a preset's own options. */
export type Own<Name extends string> = Readonly<Record<Name, number>>;

interface BreakerPreset<Name extends string> extends Omit<PolicyPreset, "family" | "create" | "options"> {
  readonly options: Readonly<Record<Name, NumberSpec>>;
  readonly check?: (own: Own<Name>) => void;
  readonly evidence?: PolicyParts["evidence"];
  readonly breaker: (own: Own<Name>, jitter: Random) => Breaker;
}

/** A preset of a breaker before every attempt, with the retries at once that the user may ask for. */
export function breakerPreset<Name extends string>(described: BreakerPreset<Name>): PolicyPreset {
  const { breaker, evidence, check, ...preset } = described;
  return {
    ...preset,
    family: "breaker",
    options: { ...preset.options, maxAttempts },
    create: (options) => {
      const own = options as Own<Name>;
      check?.(own);
      return (clock, _random, jitter) =>
        new ComposedPolicy(clock, jitter, {
          breaker: breaker(own, jitter),
          maxAttempts: options.maxAttempts as number,
          evidence,
        });
    },
  };
}
