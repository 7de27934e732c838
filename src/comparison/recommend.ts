/** What a sweep recommends: at each load the arm to ship, with the reasons, and the same over all loads. */

import type { Sweep, SweepOverall, SweepRecommendation, SweepStanding } from "../result/sweep-schema.ts";
import { recommendOverall } from "./overall.ts";
import { shipWords, withoutWords } from "./recommend-words.ts";
import type { Standing } from "./standings.ts";
import { type CheckLimit, findingsOf, type LoadFindings, type SweptResult } from "./sweep-findings.ts";
import { loadsOfSweep } from "./sweep-loads.ts";

export interface Recommendations {
  readonly recommendations: SweepRecommendation[];
  readonly overall?: SweepOverall;
}

/**
 * Follows from the result alone, so that it can be had of a file as well.
 *
 * @param sweep its axes, cells and limits, and what was simulated of the recovery if anything.
 */
export function recommend(result: SweptResult, sweep: Sweep, check: CheckLimit): Recommendations {
  const findings = loadsOfSweep(sweep).map((load) => findingsOf(result, sweep, load, check));
  const recommendations = findings.map((found) => recommendationOf(sweep, found));
  if (findings.length < 2) return { recommendations };
  return { recommendations, overall: recommendOverall(sweep, findings) };
}

function recommendationOf(sweep: Sweep, found: LoadFindings): SweepRecommendation {
  const { load, excluded, best, plateau, standings } = found;
  const words = shipWords(sweep, found) ?? withoutWords(sweep, found);
  return {
    load: load.point,
    arm: words.arm,
    plateau: plateau.map(({ arm }) => arm),
    excluded: excluded.map(({ arm, why }) => ({ arm, why })),
    reasons: [...words.reasons],
    sentence: words.sentence,
    ...(best === undefined ? {} : { best: best.arm }),
    standings: load.cells.map(({ arm }) => standingOf(arm, best?.arm, standings)),
  };
}

function standingOf(arm: string, best: string | undefined, standings: readonly Standing[]): SweepStanding {
  if (arm === best) return { arm, verdict: "best", ratio: 1, pValue: null };
  const found = standings.find((standing) => standing.arm === arm);
  if (found === undefined) return { arm, verdict: "excluded", ratio: null, pValue: null };
  const { pairs: _pairs, suggestedPairs: _suggested, isNear: _near, ...standing } = found;
  return standing;
}
