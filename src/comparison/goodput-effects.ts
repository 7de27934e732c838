import { metricOf } from "../figures/metrics.ts";
import type { Pair } from "./arms.ts";
import { type Scale, scaleOf, smallestOn } from "./effects.ts";

/** What pairs say of goodput, on a scale on which swapping the arms swaps the sign. */
export interface GoodputEffects extends Pick<Scale, "effectOf" | "values"> {
  /** The smallest effect that matters, on that scale. */
  readonly margin: number;
  readonly scale: "ratio" | "difference";
}

/**
 * Goodput on the scale on which it is compared, see {@link scaleOf}: the rule that stops an experiment and the comparison of its
 * arms go by the same numbers.
 *
 * @param smallestEffect as a share: 0.05 is 5 %.
 */
export function goodputEffects(pairs: readonly Pair[], smallestEffect: number): GoodputEffects {
  const goodput = metricOf("goodput");
  const scale = scaleOf(goodput, pairs);
  if (scale === undefined) return { values: [], effectOf: (value) => value, margin: smallestEffect, scale: "ratio" };
  const { values, effectOf, isLinear } = scale;
  return {
    values,
    effectOf,
    margin: smallestOn(goodput, scale, smallestEffect),
    scale: isLinear ? "ratio" : "difference",
  };
}
