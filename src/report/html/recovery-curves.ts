/** What share of the calls came back ok around the trigger, second by second: each trial of an arm, and their median. */

import type { TrialRecovery } from "../../result/recovery-schema.ts";
import type { TrialResult } from "../../result/schema.ts";
import { median } from "../../stats/median.ts";
import type { ArmView } from "./subject.ts";

/** A trial that had a trigger. */
export interface TriggeredTrial {
  readonly trial: TrialResult;
  readonly recovery: TrialRecovery;
}

export interface ServedPoint {
  /** The middle of what it is of, in seconds after the trigger's end. */
  readonly at: number;
  /** 0..1; undefined where no call was due, or the trial did not come so far. */
  readonly share: number | undefined;
}

export interface ServedCurves {
  readonly arm: ArmView;
  readonly trials: readonly TriggeredTrial[];
  /** One a trial. All have their points at the same places. */
  readonly each: readonly (readonly ServedPoint[])[];
  readonly middle: readonly ServedPoint[];
}

/** Seconds after the trigger's end that are drawn. */
export interface ServedSpan {
  readonly from: number;
  readonly to: number;
  /** Seconds in a point. */
  readonly width: number;
}

/** Those that the verdict is drawn from, see armRecovery() in src/experiment. */
export function triggeredTrials({ trials }: ArmView): TriggeredTrial[] {
  return trials.flatMap((trial) =>
    trial.recovery === undefined || trial.interrupted || trial.validity.verdict === "invalid"
      ? []
      : [{ trial, recovery: trial.recovery }],
  );
}

/** All of the measured window of the longest of the trials. @param points at most so many. */
export function servedSpan(trials: readonly TriggeredTrial[], points: number): ServedSpan {
  const before = Math.max(0, ...trials.map(({ recovery }) => recovery.trigger.toSeconds));
  const after = Math.max(0, ...trials.map(({ trial, recovery }) => trial.durationSeconds - recovery.trigger.toSeconds));
  const width = Math.max(1, Math.ceil((before + after) / points));
  return { from: -width * Math.ceil(before / width), to: width * Math.max(1, Math.ceil(after / width)), width };
}

export function servedCurves(arm: ArmView, trials: readonly TriggeredTrial[], span: ServedSpan): ServedCurves {
  const each = trials.map((one) => servedCurve(one, span));
  const middle = (each[0] ?? []).map(({ at }, index) => {
    const known = each.flatMap((curve) => curve[index]?.share ?? []);
    return { at, share: known.length === 0 ? undefined : median(known) };
  });
  return { arm, trials, each, middle };
}

function servedCurve({ trial, recovery }: TriggeredTrial, { from, to, width }: ServedSpan): ServedPoint[] {
  const { series, warmup, durationSeconds } = trial;
  const start = warmup?.seconds ?? 0;
  // A second in which the trigger ended is one of the trigger's.
  const end = Math.ceil(start + recovery.trigger.toSeconds);
  const last = Math.ceil(start + durationSeconds);
  const rows = new Map(series.map((row) => [row.second, row]));
  const points: ServedPoint[] = [];
  for (let second = from; second < to; second += width) {
    let offered = 0;
    let ok = 0;
    for (let own = end + second; own < end + second + width; own++) {
      const row = own >= start && own < last ? rows.get(own) : undefined;
      offered += row?.offered ?? 0;
      ok += row?.ok ?? 0;
    }
    points.push({ at: second + width / 2, share: offered === 0 ? undefined : ok / offered });
  }
  return points;
}
