/** What came out, in sentences: the same ones in every form of report. */

import { isSearch } from "../figures/is-search.ts";
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

/** What of a result answers are made of. */
export type AnsweredResult = Pick<Result, "command" | "sweep" | "comparison" | "trials" | "capacity" | "recovery">;

/**
 * The first is what one takes away: of a sweep what to ship, over all loads and then at each; of a comparison its conclusion;
 * of a single trial what became of its calls. A sweep's comparison with its first cell, an arbitrary one, is no answer; neither
 * is what became of the calls of a search for a capacity, nor a comparison of arms that a trigger disturbed.
 */
export function answersOf(result: AnsweredResult): string[] {
  const { command, sweep, comparison, trials, capacity, recovery } = result;
  const [first] = trials;
  if (first === undefined) return ["No trial was measured."];
  if (isSearch({ command })) {
    return capacity === undefined
      ? ["There is no capacity: no window of the governor came to its end."]
      : [capacity.sentence, ...capacity.remarks];
  }
  if (command === "recovery") {
    if (recovery === undefined) return ["There is no verdict: no trial came to its end."];
    const maps = (recovery.map?.arms ?? []).map(({ sentence }) => firstOf(sentence));
    return [recovery.conclusion, ...recovery.arms.map(({ sentence }) => sentence), ...maps];
  }
  if (sweep !== undefined) {
    const each = sweep.recommendations.map(({ sentence }) => sentence);
    const all = sweep.overall === undefined ? each : [sweep.overall.sentence, ...each];
    return all.length === 0 ? ["There is no recommendation."] : all;
  }
  if (comparison !== undefined) return [comparison.conclusion];
  const sentence = outcomeSentence(first);
  return [`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`];
}

/** A map tells much of how sure it is, which is no answer. */
function firstOf(text: string): string {
  return text.split(/(?<=\.)\s+(?=\p{Lu})/u, 1)[0] ?? text;
}
