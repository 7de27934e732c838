/** V16: how often equal arms are called different. */

import { compareArms } from "../../../src/comparison/compare-arms.ts";
import { ALPHA } from "../../../src/comparison/defaults.ts";
import type { Comparison } from "../../../src/result/comparison-schema.ts";
import type { Experiment, Finding, VirtualLab } from "../experiment.ts";
import { isDifferent, meanOf, runSequentially, shareOf } from "./sequential-experiment.ts";
import { asExperiment, BASELINE, virtualPairs } from "./virtual-pairs.ts";

/** 200 with ten seeds. */
const EXPERIMENTS_PER_SEED = 20;
/** As many as the sequential rule may run; the test of a number settled beforehand takes the first eight. */
const PAIRS_MAX = 12;
const PAIRS = 8;
const K = 2;
const FIRST_SEED = 1_000_000;
/** 5 % of 200 is 10, give or take 6 in 95 % of all cases. */
const BAND = [0.01, 0.09] as const;
/** Of the 256 sign patterns of eight pairs, 12 are rejected. */
const ATTAINED = (2 * Math.floor((ALPHA * 2 ** PAIRS) / 2)) / 2 ** PAIRS;

export const equalArms: Experiment = {
  id: "V16",
  title: "Equal arms are seldom called different",
  derivation: "V16",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const count = EXPERIMENTS_PER_SEED * lab.seeds.length;
    const pairs = await virtualPairs(lab, [K, K], count * PAIRS_MAX, FIRST_SEED);
    const experiments = Array.from({ length: count }, (_, index) =>
      pairs.slice(index * PAIRS_MAX, (index + 1) * PAIRS_MAX),
    );
    const comparisons = experiments.map((own) => compareArms(asExperiment(own.slice(0, PAIRS)), BASELINE));
    const outcomes = experiments.map((own, seed) => runSequentially(asExperiment(own), PAIRS_MAX, seed));
    const all = `${count} experiments with equal arms`;
    return [
      {
        what: `${all} of ${PAIRS} pairs: goodput's p-value, uncorrected, at most 5 %`,
        prediction: ATTAINED,
        measured: shareOf(comparisons, (comparison) => goodputPValue(comparison) <= ALPHA),
        band: BAND,
        trials: count * PAIRS * 2,
      },
      {
        what: `${all} of ${PAIRS} pairs: any of all metrics called different`,
        prediction: "at most 0.05",
        measured: shareOf(comparisons, (comparison) => isDifferent(comparison)),
        band: BAND,
        trials: count * PAIRS * 2,
      },
      {
        what: `${all} of at most ${PAIRS_MAX} pairs, stopped early: any of all metrics called different`,
        prediction: "at most 0.05",
        measured: shareOf(outcomes, ({ comparison }) => isDifferent(comparison)),
        band: BAND,
        trials: count * PAIRS_MAX * 2,
      },
      {
        what: `${all} of at most ${PAIRS_MAX} pairs, stopped early: pairs run`,
        prediction: `fewer than ${PAIRS_MAX}`,
        measured: meanOf(outcomes.map(({ pairs: run }) => run)),
        band: [6, PAIRS_MAX - 1],
        trials: count * PAIRS_MAX * 2,
      },
    ];
  },
};

function goodputPValue({ contrasts }: Comparison): number {
  return contrasts[0]?.metrics.find(({ metric }) => metric === "goodput")?.pValue ?? Number.NaN;
}
