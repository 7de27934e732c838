/** What came out, in sentences: the same ones in every form of report. */

import type { Result } from "../result/schema.ts";
import type { Sweep } from "../result/sweep-schema.ts";
import { outcomeSentence } from "./trial-text.ts";

/** A sentence, and why. */
export interface Answer {
  readonly sentence: string;
  readonly reasons: readonly string[];
}

/** What to ship over all loads, or at the only one. */
export function mainAnswer({ overall, recommendations }: Sweep): Answer | undefined {
  return overall ?? (recommendations.length === 1 ? recommendations[0] : undefined);
}

/**
 * The first is what one takes away: of a sweep what to ship, over all loads and then at each; of a comparison its conclusion;
 * of a single trial what became of its calls. A sweep's comparison with its first cell, an arbitrary one, is no answer.
 */
export function answersOf({ sweep, comparison, trials }: Pick<Result, "sweep" | "comparison" | "trials">): string[] {
  const [first] = trials;
  if (first === undefined) return ["No trial was measured."];
  if (sweep !== undefined) {
    const each = sweep.recommendations.map(({ sentence }) => sentence);
    const all = sweep.overall === undefined ? each : [sweep.overall.sentence, ...each];
    return all.length === 0 ? ["There is no recommendation."] : all;
  }
  if (comparison !== undefined) return [comparison.conclusion];
  const sentence = outcomeSentence(first);
  return [`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`];
}
