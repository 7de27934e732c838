import { createStopping } from "../../../src/comparison/stopping.ts";
import type { TrialResult } from "../../../src/result/schema.ts";
import { BASELINE, OTHER } from "./virtual-pairs.ts";

export interface SequentialOutcome {
  /** How many were run. */
  readonly pairs: number;
  readonly end: "different" | "equivalent" | "hopeless" | "undecided";
}

export const ALPHA = 0.05;
export const SMALLEST_EFFECT = 0.05;

/** What `ab` would have made of these trials, asked at each look; those after the end were never run. */
export function runSequentially(trials: readonly TrialResult[], pairsMax: number, seed: number): SequentialOutcome {
  const stopping = createStopping({
    arms: [BASELINE, OTHER],
    pairsMax,
    alpha: ALPHA,
    smallestEffect: SMALLEST_EFFECT,
    seed,
  });
  const looks = stopping.rule.rule === "sequential" ? stopping.rule.looks : [];
  for (const pairs of looks) {
    const seen = trials.filter(({ pair }) => pair < pairs);
    const stopped = stopping.decide(seen, pairs);
    if (stopped === undefined && pairs < pairsMax) continue;
    const look = stopping.looks(seen, OTHER)?.at(-1);
    const isDifferent = look !== undefined && look.pValue <= look.level;
    if (stopped?.because === "hopeless") return { pairs, end: "hopeless" };
    if (isDifferent) return { pairs, end: "different" };
    return { pairs, end: stopped === undefined ? "undecided" : "equivalent" };
  }
  return { pairs: pairsMax, end: "undecided" };
}

/** The share of those for which it holds. */
export function shareOf<T>(all: readonly T[], holds: (one: T) => boolean): number {
  return all.filter(holds).length / all.length;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
