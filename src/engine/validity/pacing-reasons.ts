/** Whether the calls went out as the plan had them. */

import type { Reason } from "../../result/schema.ts";
import { misfit } from "../gap-fit.ts";
import type { ValidityFacts } from "./facts.ts";
import { graded, percent, rounded } from "./grade.ts";
import {
  GAP_DISTANCE,
  GAPS_MIN,
  LATE_DROP_SHARE,
  LATENESS_P99_MS,
  LATENESS_P999_MS,
  P999_CALLS_MIN,
  STALL_MS,
  STALL_WINDOW_SHARE_INVALID,
  UNSENT_SHARE,
} from "./limits.ts";

/** Of a real world: a virtual one is never late. */
export function pacingReasons(facts: ValidityFacts): Reason[] {
  return [...latenessReasons(facts), ...stallReasons(facts), ...achievedReasons(facts), ...gapReasons(facts)];
}

/** Calls that were given up for being late, in whichever world. */
export function lateDropReasons({ calls, late }: ValidityFacts): Reason[] {
  return graded(calls.planned === 0 ? 0 : late.dropped / calls.planned, LATE_DROP_SHARE, {
    code: "late-drops",
    message: `${late.dropped} of ${calls.planned} calls were dropped: this generator came to them too late`,
    hint: "Lower --rps, give the generator a core of its own, or raise the bound of --late",
  });
}

function latenessReasons({ lateness, workers, calls }: ValidityFacts): Reason[] {
  const { p99Ms, p999Ms } = lateness;
  const hint = "Lower --rps, give the generator a core of its own, or run it on another machine than the target";
  const most = graded(p99Ms, LATENESS_P99_MS, {
    code: "lateness",
    message: `1 % of the calls${workers > 1 ? " of the worst worker" : ""} started ${rounded(p99Ms)} ms or more after their time`,
    hint,
  });
  if (most.length > 0 || calls.planned < P999_CALLS_MIN) return most;
  return graded(p999Ms, LATENESS_P999_MS, {
    code: "lateness-tail",
    message: `One call in a thousand started ${rounded(p999Ms)} ms or more after its time: p99.9 is this generator's own`,
    hint,
  });
}

function stallReasons({ generator, durationSeconds }: ValidityFacts): Reason[] {
  const stallMs = generator?.stallMaxMs ?? 0;
  const invalid = Math.max(STALL_MS.suspect, STALL_WINDOW_SHARE_INVALID * 1000 * durationSeconds);
  return graded(
    stallMs,
    { ...STALL_MS, invalid },
    {
      code: "stall",
      message: `The generator stood still for ${rounded(stallMs)} ms: it sent nothing and timed no answer`,
      hint: "Look for a stopped process, another busy one, or memory pressure",
    },
  );
}

function achievedReasons({ calls, startedAfterEnd }: ValidityFacts): Reason[] {
  const started = calls.planned - calls.dropped;
  const unsent = started === 0 ? 0 : startedAfterEnd / started;
  return graded(unsent, UNSENT_SHARE, {
    code: "achieved-rate",
    message: `Only ${percent(1 - unsent)} of the calls could be started while the arrivals lasted`,
    hint: "The plan is beyond this generator: lower --rps, or give it more --workers",
  });
}

function gapReasons({ generator, pacing, workers }: ValidityFacts): Reason[] {
  const gaps = generator?.gaps;
  if (gaps === undefined || gaps.count < GAPS_MIN) return [];
  const distance = misfit(gaps);
  const over = gaps.calls === 1 ? "gaps between calls" : `gaps over ${gaps.calls} calls`;
  const whose = workers > 1 ? " of the worst worker" : "";
  const whatFor = gaps.law === undefined ? "those of the plan" : "what Poisson arrivals have";
  const reasons = graded(distance, GAP_DISTANCE, {
    code: "gaps",
    message: `${percent(distance)} of the ${over}${whose} are not ${whatFor}: calls went out in bunches`,
    hint:
      pacing === "timer"
        ? "That is what --pacing timer does: leave it out for arrivals as planned"
        : "Lower --rps, or give the generator a core of its own: what it sends is another load than the plan's",
  });
  return pacing === "timer" ? reasons.map((reason) => ({ ...reason, severity: "note" })) : reasons;
}
