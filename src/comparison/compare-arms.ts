/** Compares the arms of an experiment, pair by pair: the trials of a pair walked the same arrivals. */

import { latencyFigure, medianFigure, type Quantile } from "../figures/figure.ts";
import { cpuRejectRatio } from "../figures/trial-figures.ts";
import type { ArmSummary, Comparison, Contrast } from "../result/comparison-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { armNames, pairsOf, ratio, trialsOf } from "./arms.ts";
import { conclude } from "./conclusion.ts";

/** What two arms may be taken for equal at, and from which difference on it matters. */
export interface CompareOptions {
  /** Chance of calling equal arms different, over all contrasts and metrics. Default 0.05. */
  readonly alpha?: number;
  /** The smallest change of goodput that matters, as a share. Default 0.05. */
  readonly smallestEffect?: number;
}

/**
 * Summaries per arm, each arm against the baseline, pair by pair, and what follows from them in words. A trial that was cut
 * short takes no part. A ratio never divides by zero: it is null where the baseline served nothing.
 *
 * @param trials of one experiment, in any order; arms are listed by first appearance, the baseline first.
 * @param baseline the arm that the others are compared with. It need not have trials yet.
 */
export function compareArms(
  trials: readonly TrialResult[],
  baseline: string,
  { alpha = 0.05, smallestEffect = 0.05 }: CompareOptions = {},
): Comparison {
  const names = armNames(trials, baseline);
  const arms = names.map((arm) => summarise(arm, trialsOf(trials, arm))).filter((summary) => summary !== undefined);
  const contrasts = names
    .filter((arm) => arm !== baseline && pairsOf(trials, baseline, arm).length > 0)
    .map((arm) => contrast(trials, baseline, arm));
  return { baseline, alpha, smallestEffect, arms, contrasts, conclusion: conclude(trials, baseline, arms, contrasts) };
}

function contrast(trials: readonly TrialResult[], baseline: string, arm: string): Contrast {
  const pairs = pairsOf(trials, baseline, arm);
  return {
    arm,
    baseline,
    pairs: pairs.map(({ pair }) => pair),
    metrics: [
      {
        metric: "goodput",
        effect: "ratio",
        better: "higher",
        baseline: median(pairs.map(({ base }) => base.rates.goodput)),
        arm: median(pairs.map(({ other }) => other.rates.goodput)),
        effects: pairs.map(({ base, other }) => ratio(other.rates.goodput, base.rates.goodput)),
        estimate: null,
        pValue: null,
        adjustedPValue: null,
        detectable: null,
        verdict: "undecided",
      },
    ],
    suggestedPairs: null,
    sentence: "",
  };
}

function summarise(arm: string, trials: readonly TrialResult[]): ArmSummary | undefined {
  const first = trials[0];
  if (first === undefined) return undefined;
  const middle = (figure: (trial: TrialResult) => number): number => median(trials.map(figure));
  const response = (quantile: Quantile): number | null =>
    medianFigure(trials.map((trial) => latencyFigure(trial.latency.response.ok, quantile)))?.value ?? null;
  const rejectRatios = trials.map(cpuRejectRatio).filter((value) => value !== undefined);
  return {
    arm,
    policy: first.policy,
    trials: trials.length,
    goodput: middle((trial) => trial.rates.goodput),
    offered: middle((trial) => trial.rates.offered),
    sent: middle((trial) => trial.rates.sent),
    amplification: middle((trial) => trial.amplification),
    waste: middle((trial) => trial.waste),
    responseOkP50Ms: response("p50Ms"),
    responseOkP99Ms: response("p99Ms"),
    ...(rejectRatios.length > 0 && { cpuRejectRatio: median(rejectRatios) }),
  };
}
