/** What verdicts are called, everywhere: a word for tables, and what it means where there is room to say so. */

import type { EffectVerdict } from "../result/comparison-schema.ts";
import type { SweepStanding } from "../result/sweep-schema.ts";
import { NONE } from "./number-format.ts";

export interface VerdictWords {
  /** In a column. */
  readonly short: string;
  /** In a sentence or a wide table. */
  readonly long: string;
}

const SAME: VerdictWords = { short: "same", long: "the same: no difference that matters" };
const UNCLEAR: VerdictWords = { short: "unclear", long: "unclear: neither different nor the same" };
const WORSE: VerdictWords = { short: "worse", long: "worse" };

/** Of an arm against a baseline, by a metric. */
export const EFFECT_WORDS: Readonly<Record<EffectVerdict, VerdictWords>> = {
  better: { short: "better", long: "better" },
  worse: WORSE,
  equivalent: SAME,
  undecided: UNCLEAR,
  incomparable: { short: NONE, long: "cannot be compared" },
};

/** Of a cell of a sweep against the best of its load, by goodput. */
export const STANDING_WORDS: Readonly<Record<SweepStanding["verdict"], VerdictWords>> = {
  best: { short: "best", long: "the best" },
  equivalent: SAME,
  undecided: UNCLEAR,
  lower: { short: "less, unproven", long: "less in every pair, in pairs too few to prove it" },
  worse: WORSE,
  excluded: { short: "out", long: "takes no part" },
};

/** What is the same as the best, or unclear against it: the plateau of a sweep. */
export const NOT_TOLD_APART = "not told apart from the best";
