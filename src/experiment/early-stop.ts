/** When an experiment asks whether it has seen enough, and what the answer is. */

import { completeTrials } from "../comparison/arms.ts";
import { createStopping, type Stopping } from "../comparison/stopping.ts";
import type { Design } from "../result/design-schema.ts";
import type { TrialResult } from "../result/schema.ts";

/** What decides; it follows from the design alone. Undefined where all pairs are run. */
export function stoppingOf({ arms, pairs, seed, stopping }: Design): Stopping | undefined {
  switch (stopping.rule) {
    case "all-pairs":
      return undefined;
    case "sequential": {
      const { alpha, smallestEffect } = stopping;
      return createStopping({ arms, pairsMax: pairs, alpha, smallestEffect, seed });
    }
    default:
      return stopping satisfies never;
  }
}

/** The numbers of pairs, in order, up to which the experiment runs before it asks; the last one is all of them. */
export function stagesOf({ pairs, stopping }: Design): readonly number[] {
  const looks = stopping.rule === "sequential" ? stopping.looks : [];
  return [...looks.filter((look) => look < pairs), pairs];
}

/**
 * The decision that these trials called for, at the first look that did. It is not written down when it falls: whoever has the
 * design and the trials comes to the same.
 */
export function stoppedBy(design: Design, trials: readonly TrialResult[]): Design["stopped"] {
  const stopping = stoppingOf(design);
  if (stopping === undefined) return undefined;
  for (const pairs of stagesOf(design).slice(0, -1)) {
    const seen = completeTrials(trials).filter(({ pair }) => pair < pairs);
    if (seen.length < pairs * design.arms.length) return undefined;
    const stopped = stopping.decide(seen, pairs);
    if (stopped !== undefined) return stopped;
  }
  return undefined;
}
