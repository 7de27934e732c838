import type { EffectVerdict } from "../../result/comparison-schema.ts";

/** What a comparison says of a metric, in words. */
export const VERDICT_TEXT: Readonly<Record<EffectVerdict, string>> = {
  better: "better",
  worse: "worse",
  equivalent: "no difference that matters",
  undecided: "not decided",
  incomparable: "cannot be compared",
};
