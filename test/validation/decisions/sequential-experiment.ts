import { compareArms } from "../../../src/comparison/compare-arms.ts";
import { ALPHA, SMALLEST_EFFECT } from "../../../src/comparison/defaults.ts";
import { createStopping } from "../../../src/comparison/stopping.ts";
import type { MetricKey } from "../../../src/figures/metrics.ts";
import type { Comparison } from "../../../src/result/comparison-schema.ts";
import type { TrialResult } from "../../../src/result/schema.ts";
import { BASELINE, OTHER } from "./virtual-pairs.ts";

export interface SequentialOutcome {
  /** How many were run. */
  readonly pairs: number;
  /** What is said of them. */
  readonly comparison: Comparison;
}

/** What `ab` would have made of these trials, asked at each look; those after the end were never run. */
export function runSequentially(trials: readonly TrialResult[], pairsMax: number, seed: number): SequentialOutcome {
  const arms = [BASELINE, OTHER];
  const stopping = createStopping({ arms, pairsMax, alpha: ALPHA, smallestEffect: SMALLEST_EFFECT, seed });
  const looks = stopping.rule.rule === "sequential" ? stopping.rule.looks : [];
  const design = { arms, pairs: pairsMax, seed, chance: "own" as const, stopping: stopping.rule };
  for (const pairs of looks) {
    const seen = trials.filter(({ pair }) => pair < pairs);
    const stopped = stopping.decide(seen, pairs);
    if (stopped !== undefined)
      return { pairs, comparison: compareArms(seen, BASELINE, { design: { ...design, stopped } }) };
  }
  return { pairs: pairsMax, comparison: compareArms(trials, BASELINE, { design }) };
}

/** Whether the verdict on a metric, or on any of them, is that the arms differ. */
export function isDifferent({ contrasts }: Comparison, key?: MetricKey): boolean {
  return contrasts.some(({ metrics }) =>
    metrics.some(
      ({ metric, verdict }) => (key === undefined || metric === key) && (verdict === "better" || verdict === "worse"),
    ),
  );
}

/** The share of those for which it holds. */
export function shareOf<T>(all: readonly T[], holds: (one: T) => boolean): number {
  return all.filter(holds).length / all.length;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
