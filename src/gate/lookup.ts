/** Figures of a result, of an arm's trials, and of an arm as a comparison or a sweep sees it. */

import { trialsOf } from "../comparison/arms.ts";
import { formatSeconds } from "../figures/number-format.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { medianTime } from "../stats/recovery-time.ts";
import type { FigureName } from "./assertion.ts";
import { shortName } from "./catalogue.ts";
import { type Known, known, missing } from "./known.ts";
import { point } from "./span.ts";

/** The trials of an arm that count: those that were not cut short, or, where all of them were, as far as they came. */
export function trialsThatCount(
  result: Result,
  arm: string,
): { readonly trials: readonly TrialResult[]; readonly cut: boolean } {
  const whole = trialsOf(result.trials, arm);
  if (whole.length > 0) return { trials: whole, cut: false };
  const own = result.trials.filter((trial) => trial.arm === arm);
  return { trials: own, cut: own.length > 0 };
}

/** The arms that others are compared with: one, or one for each group of a comparison of several files. */
export function baselinesOf({ comparison, design, trials }: Result): ReadonlySet<string> {
  const baseline = comparison?.baseline ?? design.arms[0] ?? trials[0]?.arm ?? "";
  return new Set([baseline, ...(comparison?.contrasts ?? []).map((contrast) => contrast.baseline)]);
}

/** All arms, those without a trial too. */
export function armsOf({ design, trials }: Result): readonly string[] {
  return [...new Set([...design.arms, ...trials.map(({ arm }) => arm)])];
}

/** A figure that stands once in the result. */
export function figureOfResult(result: Result, { path }: FigureName): Known {
  const none = path[0] === "capacity" ? whyNoCapacity(result) : undefined;
  if (none !== undefined) return missing(none);
  let value: unknown = result;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) {
      return missing(`this result has no ${shortName(path)}`);
    }
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return typeof value === "number" ? known(point(value)) : missing(`this result has no ${shortName(path)}`);
}

/** What would pass for a capacity and is none. */
function whyNoCapacity({ capacity }: Result): string | undefined {
  if (capacity === undefined) return "no capacity was looked for, or none was found";
  if (capacity.saturated) return "the target was saturated, so what was measured is no capacity";
  if (capacity.uncaused === true)
    return "attempts failed as often at lower offers, so what was measured is no capacity";
  return capacity.held ? undefined : "the offer did not come to rest, so what was measured is no capacity";
}

/** What a comparison or a sweep says of an arm. */
export function figureOfArm(result: Result, arm: string, { path }: FigureName): Known {
  const [kind = "", name = "", bound] = path;
  if (kind === "recovery") return recoveryOf(result, arm, name);
  if (baselinesOf(result).has(arm)) return missing(`${arm} is the baseline, which is not compared with itself`);
  const contrast = result.comparison?.contrasts.find((candidate) => candidate.arm === arm);
  const metric = contrast?.metrics.find((candidate) => candidate.metric === name);
  if (contrast === undefined || metric === undefined) return missing(`${arm} was not compared by ${name}`);
  switch (kind) {
    case "ratio":
    case "difference": {
      if (metric.effect !== kind) return missing(`${name} was compared by its ${metric.effect}`);
      if (bound === undefined) return numberOr(metric.estimate, `some pair of ${arm} has no ${kind} of ${name}`);
      const { interval } = metric;
      const count = contrast.pairs.length;
      if (interval === undefined)
        return missing(`${pairs(contrast.pairs)} ${count === 1 ? "gives" : "give"} no interval`);
      return numberOr(bound === "low" ? interval.low : interval.high, `the interval of ${name} has no bound there`);
    }
    case "pValue":
      return numberOr(metric.pValue, `there is no test of ${name}`);
    case "adjustedPValue":
      return numberOr(metric.adjustedPValue, `there is no test of ${name}`);
    case "detectable":
      return numberOr(metric.detectable, `it is not known what ${pairs(contrast.pairs)} would find of ${name}`);
    default:
      return missing(`there is no ${path.join(".")}`);
  }
}

function pairs({ length }: readonly number[]): string {
  return length === 1 ? "1 pair" : `${length} pairs`;
}

function recoveryOf(result: Result, arm: string, name: string): Known {
  return result.sweep === undefined
    ? recoveryOfTrials(trialsThatCount(result, arm).trials, arm, name)
    : simulatedRecovery(result, arm, name);
}

/** Those that are invalid take no part, as in the verdict. */
function recoveryOfTrials(trials: readonly TrialResult[], arm: string, name: string): Known {
  const taken = trials.flatMap(({ recovery, validity }) =>
    recovery === undefined || validity.verdict === "invalid" ? [] : [recovery],
  );
  if (taken.length === 0) return missing(`no trial of ${arm} tells of a recovery`);
  const horizon = Math.min(...taken.map(({ horizonSeconds }) => horizonSeconds));
  const stuck = taken.filter(({ seconds }) => seconds === null).length;
  switch (name) {
    case "horizonSeconds":
      return known(point(horizon));
    case "stuck":
      return known(point(stuck / taken.length));
    default: {
      const middle = medianTime(taken.map(({ seconds }) => seconds));
      return middle !== null
        ? known(point(middle))
        : missing(
            `${stuck} of ${taken.length} ${taken.length === 1 ? "trial" : "trials"} of ${arm} did not come back within ${formatSeconds(horizon)}, so there is no median`,
          );
    }
  }
}

function simulatedRecovery({ sweep }: Result, arm: string, name: string): Known {
  const recovery = sweep?.recovery?.find((candidate) => candidate.arm === arm);
  if (recovery === undefined) return missing(`no recovery of ${arm} was simulated`);
  if (name === "stuck") return known(point(recovery.seconds === null ? 1 : 0));
  if (name === "horizonSeconds") return known(point(recovery.horizonSeconds));
  // Not within the horizon: it takes at least so long.
  return recovery.seconds === null
    ? known({ low: recovery.horizonSeconds, high: Number.POSITIVE_INFINITY })
    : known(point(recovery.seconds));
}

function numberOr(value: number | null, reason: string): Known {
  return value === null ? missing(reason) : known(point(value));
}
