/** Compares the arms of an experiment, pair by pair: the trials of a pair walked the same arrivals. */

import type { ArmSummary, Comparison, TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { conclude } from "./conclusion.ts";
import { latencyFigure, medianFigure, type Quantile } from "./figure.ts";
import { cpuRejectRatio } from "./trial-figures.ts";

/**
 * Summaries per arm, goodput ratios per pair, and what follows from them in words. A trial that was cut short takes no
 * part. A ratio never divides by zero: it is null where the baseline served nothing.
 *
 * @param trials of one experiment, in any order; arms are listed by first appearance, the baseline first.
 * @param baseline the arm that the others are compared with. It need not have trials yet.
 */
export function compareArms(trials: readonly TrialResult[], baseline: string): Comparison {
  const names = armNames(trials, baseline);
  const arms = names.map((arm) => summarise(arm, trialsOf(trials, arm))).filter((summary) => summary !== undefined);
  const pairs = names
    .filter((arm) => arm !== baseline)
    .flatMap((arm) =>
      pairsOf(trials, baseline, arm).map(({ pair, base, other }) => ({
        pair,
        arm,
        goodputRatio: ratio(other.rates.goodput, base.rates.goodput),
      })),
    );
  const goodputRatio: Comparison["goodputRatio"] = {};
  for (const arm of new Set(pairs.map((pair) => pair.arm))) {
    goodputRatio[arm] = spread(pairs.filter((pair) => pair.arm === arm).map((pair) => pair.goodputRatio));
  }
  return { baseline, arms, pairs, goodputRatio, conclusion: conclude(trials, baseline, arms, pairs, goodputRatio) };
}

/** Arms by first appearance, the baseline first. */
export function armNames(trials: readonly TrialResult[], baseline: string): string[] {
  const names = new Set(trials.map((trial) => trial.arm));
  return [...(names.delete(baseline) ? [baseline] : []), ...names];
}

/** The trials of an arm that count: those that were not cut short. */
export function trialsOf(trials: readonly TrialResult[], arm: string): TrialResult[] {
  return trials.filter((trial) => trial.arm === arm && !trial.interrupted);
}

/** The complete pairs of an arm and the baseline, in order. */
export function pairsOf(
  trials: readonly TrialResult[],
  baseline: string,
  arm: string,
): { pair: number; base: TrialResult; other: TrialResult }[] {
  const bases = new Map(trialsOf(trials, baseline).map((trial) => [trial.pair, trial]));
  return trialsOf(trials, arm)
    .flatMap((other) => {
      const base = bases.get(other.pair);
      return base === undefined ? [] : [{ pair: other.pair, base, other }];
    })
    .sort((a, b) => a.pair - b.pair);
}

/** Never divides by zero: null there. */
export function ratio(value: number, base: number): number | null {
  return base === 0 ? null : value / base;
}

/** A null among the ratios leaves no order between them: then nothing is said about their middle. */
function spread(ratios: readonly (number | null)[]): { median: number | null; min: number | null; max: number | null } {
  const known = ratios.filter((value) => value !== null);
  if (known.length === 0 || known.length < ratios.length) return { median: null, min: null, max: null };
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
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
