/**
 * How any backend served a real trial, as far as its clients can see. Capacity shows only under more load than that: it is what
 * was accepted in the seconds of overload. What else the backend did in them cannot be seen: what rejections took, or work that
 * nobody waited for any more. It is in what an accepted attempt seems to take, so the law holds for a load like this one.
 */

import type { SeriesRow, TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { latencySeen } from "./latency-seen.ts";
import type { FoundLaw } from "./service-law.ts";

/** Fewer attempts that met overload than this share may have failed for any reason. */
const OVERLOADED_RATIO_MIN = 0.01;
/** A second of overload is one in which at least this share of the attempts was not accepted. */
const SECOND_RATIO_MIN = 0.05;
const SECONDS_MIN = 3;

const UNCOUNTED = "The target has no counters: this is what could be seen from here, taken for one worker.";
const REJECTING =
  "What a rejection takes is not known: it is in what an accepted attempt takes, at a load like this one.";
const SILENT =
  "It let attempts time out and hardly rejected any, so it is taken to drop what was given up; if it works on that, it can do more.";

/** @param trial a real one, measured to its end. */
export function lawFromOutside(trial: TrialResult): FoundLaw {
  const { overloaded, sent } = trial.attempts;
  if (sent === 0 || overloaded < OVERLOADED_RATIO_MIN * sent) return unknown("was not overloaded", "raise --rps");
  const accepted = secondsOfOverload(trial).map((row) => row.accepted);
  if (accepted.length < SECONDS_MIN) {
    return unknown(`was overloaded in ${accepted.length} whole seconds only`, "raise --rps or --duration");
  }
  const capacity = median(accepted);
  if (capacity === 0) return unknown("accepted nothing in most of the time", "lower --rps");
  const timeouts = trial.errors.timeout ?? 0;
  const isRejecting = overloaded - timeouts >= timeouts;
  const acceptMs = 1000 / capacity;
  return {
    law: {
      source: "client",
      model: "worker",
      acceptMs,
      rejectMs: 0,
      overheadMs: 0,
      latencyMs: latencySeen(trial, acceptMs, 0),
      queueMax: isRejecting ? fullQueue(trial, acceptMs) : Math.max(1, trial.generator?.inFlightMax ?? sent),
      assumptions: [UNCOUNTED, isRejecting ? REJECTING : SILENT],
    },
  };
}

function unknown(what: string, hint: string): FoundLaw {
  return { reason: `The target has no counters and ${what}, so its capacity is not known: ${hint}` };
}

/** Whole seconds of the measured window. */
function secondsOfOverload({ series, warmup, durationSeconds }: TrialResult): SeriesRow[] {
  const from = warmup?.seconds ?? 0;
  return series.filter(
    ({ second, sent, accepted }) =>
      second >= from && second + 1 <= from + durationSeconds && sent - accepted > SECOND_RATIO_MIN * sent,
  );
}

/** While it rejects, whoever is accepted has found all places but one taken. */
function fullQueue({ latency }: TrialResult, acceptMs: number): number {
  return Math.max(1, Math.round((latency.service.accepted?.p90Ms ?? 0) / acceptMs) - 1);
}
