/** What a verdict says of a trial that was put together from its journal. */

import type { Reason } from "../../result/schema.ts";
import type { TrialPart } from "../trial-part.ts";

export function recoveryReasons(part: TrialPart): readonly Reason[] {
  const { recovered, warmupSeconds, arrivalsEndSeconds, drainSeconds } = part;
  if (!recovered) return [];
  const knownSeconds = Math.round(10 * (arrivalsEndSeconds + drainSeconds)) / 10;
  return [
    {
      code: "recovered",
      severity: arrivalsEndSeconds > warmupSeconds ? "suspect" : "invalid",
      message: `The generator was killed: this was put together from its journal, which ends at ${knownSeconds} s`,
      figure: knownSeconds,
      limit: 0,
      hint: "The figures hold up to there, and calls under way then count as unfinished: run it again to the end",
    },
  ];
}
