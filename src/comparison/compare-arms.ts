/** Compares the arms of an experiment, pair by pair: the trials of a pair walked the same arrivals. */

import { latencyFigure, medianFigure, type Quantile } from "../figures/figure.ts";
import { METRICS, type Metric } from "../figures/metrics.ts";
import { cpuRejectRatio } from "../figures/trial-figures.ts";
import type { ArmSummary, Comparison, Contrast, EffectVerdict } from "../result/comparison-schema.ts";
import type { Design } from "../result/design-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { armNames, type Forced, type Opponents, opponentsOf, pairsOf, trialsOf } from "./arms.ts";
import { conclude } from "./conclusion.ts";
import { contrastOf, type RawContrast, type RawMetric } from "./contrast.ts";
import { ALPHA, SMALLEST_EFFECT } from "./defaults.ts";
import { armLabel } from "./labels.ts";
import { type Costs, paidByGoodput, paidByOther, shareOfAlpha, weightsOf } from "./multiplicity.ts";
import { sentenceOf } from "./sentence.ts";
import { createStopping, pairsRun } from "./stopping.ts";

/** What two arms may be taken for equal at, and from which difference on it matters. */
export interface CompareOptions {
  /**
   * Chance of any false verdict, over all metrics, contrasts and looks. Default: the design's, else 0.05. At most the design's
   * where the experiment could stop early.
   */
  readonly alpha?: number;
  /** The smallest change of goodput that matters, as a share. Default: the design's, else 0.05. */
  readonly smallestEffect?: number;
  /** How the experiment was laid out: the order of its arms, and whether it could stop early. */
  readonly design?: Design;
  /** Default: all. One alone costs no correction for others. */
  readonly metrics?: readonly Metric[];
  /** Who is compared with whom. Default: each arm with the baseline, or with the first one that had the same load. */
  readonly opponents?: readonly Opponents[];
  readonly forced?: Forced;
  /** What arms are called in sentences. Default: by their policies where these tell them apart. */
  readonly namedBy?: "policy" | "arm";
}

/**
 * Summaries per arm, each arm against the baseline, pair by pair, and what follows from them in words. Only complete pairs take
 * part, of trials that walked the same arrivals and are not invalid. A ratio never divides by zero: it is null where the
 * baseline had nothing, though such pairs are tested like others. How sure verdicts are: see multiplicity.ts.
 *
 * @param trials of one experiment, in any order; arms are listed as the design has them, else by first appearance, the baseline
 *   first.
 * @param baseline the arm that the others are compared with. It need not have trials yet.
 * @throws RangeError where `alpha` is above that of an experiment that could stop early.
 */
export function compareArms(
  trials: readonly TrialResult[],
  baseline: string,
  options: CompareOptions = {},
): Comparison {
  const { design, metrics = METRICS, forced = {} } = options;
  const sequential = design?.stopping.rule === "sequential" ? design.stopping : undefined;
  const alpha = options.alpha ?? sequential?.alpha ?? ALPHA;
  if (sequential !== undefined && alpha > sequential.alpha) {
    throw new RangeError(
      `Cannot compare as 'alpha' must be at most that by which the experiment could stop, ${sequential.alpha}: current value is ${alpha}`,
    );
  }
  const smallestEffect =
    options.smallestEffect ?? design?.smallestEffect ?? sequential?.smallestEffect ?? SMALLEST_EFFECT;
  const names = armNames(trials, baseline, design?.arms);
  const arms = names.map((arm) => summarise(arm, trialsOf(trials, arm))).filter((summary) => summary !== undefined);
  const seed = design?.seed ?? Math.min(...trials.map((trial) => trial.plan.seed));
  const opponents = options.opponents ?? opponentsOf(trials, names);
  const contenders = opponents
    .map((own) => ({ opponents: own, pairs: pairsOf(trials, own, forced) }))
    .filter(({ pairs }) => pairs.length > 0);
  const raw = contenders.map(({ opponents: own, pairs }) =>
    contrastOf(own, pairs, metrics, { alpha, smallestEffect, contrasts: contenders.length, seed }),
  );
  const labelOf = (arm: string): string => (options.namedBy === "arm" ? arm : armLabel(arm, arms));
  const looks = looksOf(trials, design);
  const weights = weightsOf(metrics);
  const level = (alpha * weights.lead) / Math.max(1, raw.length);
  const contrasts = raw.map((contrast): Contrast => {
    const pairs = design?.stopped?.pairs ?? pairsRun(trials, contrast);
    const share = design === undefined ? 1 : shareOfAlpha(design, pairs, alpha);
    const costs = { weights, contrasts: raw.length, share };
    const facts = decided(contrast, costs, looks(contrast), sequential?.alpha ?? alpha, alpha);
    return { ...facts, sentence: sentenceOf(facts, labelOf(contrast.arm), { level, smallestEffect }) };
  });
  const facts = { baseline, alpha, smallestEffect, arms, contrasts };
  return {
    ...facts,
    conclusion: conclude(trials, facts, { forced, opponents, level, ...(design === undefined ? {} : { design }) }),
  };
}

/** The looks at goodput of an experiment that could stop early, per contrast with the design's baseline. */
function looksOf(
  trials: readonly TrialResult[],
  design: Design | undefined,
): (contrast: Opponents) => Contrast["looks"] {
  if (design?.stopping.rule !== "sequential") return () => undefined;
  const { alpha, smallestEffect } = design.stopping;
  const stopping = createStopping({
    arms: design.arms,
    pairsMax: design.pairs,
    alpha,
    smallestEffect,
    seed: design.seed,
  });
  return ({ arm, baseline }) => (baseline === design.arms[0] ? stopping.looks(trials, arm) : undefined);
}

function decided(
  { arm, baseline, pairs, metrics, suggestedPairs }: RawContrast,
  costs: Costs,
  looks: Contrast["looks"],
  alphaOfLooks: number,
  alpha: number,
): Omit<Contrast, "sentence"> {
  const goodput = metrics.find(({ metric }) => metric.key === "goodput")?.adjusted ?? null;
  const ofGoodput = goodput === null ? null : (lookedAt(looks, alphaOfLooks) ?? paidByGoodput(goodput, costs));
  return {
    arm,
    baseline,
    pairs: pairs.map(({ pair }) => pair),
    metrics: metrics.map((raw) => {
      const { adjusted } = raw;
      const adjustedPValue =
        adjusted === null ? null : raw.metric.key === "goodput" ? ofGoodput : paidByOther(adjusted, ofGoodput, costs);
      return { ...raw.facts, adjustedPValue, verdict: verdictOf(raw, adjustedPValue, alpha) };
    }),
    ...(looks === undefined ? {} : { looks }),
    suggestedPairs,
  };
}

/** The p-value of a test at several looks, scaled so that it is at most alpha where it was decided at one of them. */
function lookedAt(looks: Contrast["looks"], alpha: number): number | undefined {
  if (looks === undefined || looks.length === 0) return undefined;
  return Math.min(1, ...looks.map(({ pValue, level }) => (level === 0 ? 1 : alpha * (pValue / level))));
}

/** What differs is told, small as it may be, and only then whether it is too small to matter: as the rule that stops an experiment has it. */
function verdictOf(
  { metric, direction, isEquivalent }: RawMetric,
  pValue: number | null,
  alpha: number,
): EffectVerdict {
  if (pValue === null) return "incomparable";
  if (pValue <= alpha) return direction > 0 === (metric.better === "higher") ? "better" : "worse";
  return isEquivalent ? "equivalent" : "undecided";
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
