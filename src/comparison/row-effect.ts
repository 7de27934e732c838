import type { Figure } from "../figures/figure.ts";
import type { Effect, Metric } from "../figures/metrics.ts";
import type { Comparison, Contrast } from "../result/comparison-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { completePairs } from "./arms.ts";
import { effectsOf, estimateOf, scaleOf } from "./effects.ts";

/** A figure that is no metric of comparisons, and may be set against the baseline's all the same. */
export interface Comparable {
  readonly effect: Effect;
  readonly figure: (trial: TrialResult) => Figure | undefined;
}

/** The contrast in which an arm is compared, if it is. */
export function contrastOfArm({ contrasts }: Comparison, arm: string): Contrast | undefined {
  return contrasts.find((contrast) => contrast.arm === arm);
}

/** Over the pairs of a contrast the middle of a figure's effects, as that of metrics; null where some pair has none. */
export function effectOver(
  trials: readonly TrialResult[],
  contrast: Contrast,
  { effect, figure }: Comparable,
): number | null {
  const metric: Pick<Metric, "effect" | "figure"> = { effect, figure };
  const pairs = completePairs(trials, contrast).filter(({ pair }) => contrast.pairs.includes(pair));
  const scale = scaleOf(metric, pairs);
  return scale === undefined ? null : estimateOf(effectsOf(metric, pairs), scale);
}
