/** What the sentinel's probes say about the generator, see src/world/real/sentinel.ts. */

import type { Reason, TrialResult } from "../../result/schema.ts";
import { graded, rounded } from "./grade.ts";
import { PROBES_MIN, SENTINEL_P90_MS } from "./limits.ts";

type SentinelResult = NonNullable<NonNullable<TrialResult["generator"]>["sentinel"]>;

/** Reasons against a trial whose generator would tell of a target that it is slow when it is not. */
export function sentinelReasons(sentinel: SentinelResult | undefined): Reason[] {
  if (sentinel === undefined) return [];
  const { planned, ok, worstP90Ms } = sentinel;
  const reasons =
    ok < PROBES_MIN
      ? []
      : graded(worstP90Ms, SENTINEL_P90_MS, {
          code: "sentinel",
          message: `This generator's own error: 1 in 10 probes of a server that does nothing took ${rounded(worstP90Ms)} ms or more`,
          hint: "Lower --rps, give the generator a processor of its own, or look for another busy process",
        });
  const lost = planned - ok;
  if (lost > 0) {
    reasons.push({
      code: "sentinel-unanswered",
      severity: "suspect",
      message: `${lost} of ${planned} probes of a server that does nothing were not answered`,
      figure: lost,
      limit: 0,
      hint: "The generator or the machine stood still, or was out of files: look at the other reasons, and for another busy process",
    });
  }
  return reasons;
}

/** The reason of a trial without a sentinel that was to have one. @param what became of the null server. */
export function noSentinel(what: string, probesLost: number): Reason {
  return {
    code: "no-sentinel",
    severity: probesLost > 0 ? "suspect" : "note",
    message: `The null server of the sentinel ${what}: this generator's own error is known in part, or not at all`,
    figure: probesLost,
    limit: 0,
    hint: "Run it again, or leave it out with --no-sentinel",
  };
}
