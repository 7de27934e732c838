/** V17: how often a true difference of 5 % is found with the pairs that the tool suggests after a pilot. */

import { compareArms } from "../../../src/comparison/compare-arms.ts";
import { SMALLEST_EFFECT } from "../../../src/comparison/defaults.ts";
import type { TrialResult } from "../../../src/result/schema.ts";
import type { Experiment, Finding, VirtualLab } from "../experiment.ts";
import { isDifferent, meanOf, runSequentially, shareOf } from "./sequential-experiment.ts";
import { type ArmKs, asExperiment, BASELINE, logRatios, virtualPairs } from "./virtual-pairs.ts";

/** 100 with ten seeds. */
const EXPERIMENTS_PER_SEED = 10;
const PILOT_PAIRS = 5;
/** Their goodputs, C / (1 + r (K - 1)) but for the short window, differ by 5 % in these short trials. */
const KS: ArmKs = [2, 1.76];
const FIRST_SEED = 2_000_000;
const POWER = 0.8;

export const smallDifference: Experiment = {
  id: "V17",
  title: "A difference of 5 % is found with the pairs suggested",
  derivation: "V17",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const count = EXPERIMENTS_PER_SEED * lab.seeds.length;
    const pilots = await experimentsOf(lab, Array(count).fill(PILOT_PAIRS), FIRST_SEED);
    const suggested = pilots.map((pilot) => compareArms(pilot, BASELINE).contrasts[0]?.suggestedPairs ?? Number.NaN);
    const experiments = await experimentsOf(lab, suggested, FIRST_SEED + count * PILOT_PAIRS);
    const ratios = experiments.map(logRatios);
    const trials = 2 * suggested.reduce((sum, pairs) => sum + pairs, 0);
    const outcomes = experiments.map((own, seed) => runSequentially(own, suggested[seed] as number, seed));
    const comparisons = experiments.map((own) => compareArms(own, BASELINE));
    return [
      {
        what: `goodput at K = ${KS[1]} over that at K = ${KS[0]}: the difference there is to find`,
        prediction: 1 + SMALLEST_EFFECT,
        measured: Math.exp(meanOf(ratios.flat())),
        band: [1.045, 1.055],
        trials,
      },
      {
        what: `pairs suggested for 5 % by pilots of ${PILOT_PAIRS} pairs`,
        prediction: "8 to 25",
        measured: meanOf(suggested),
        band: [8, 25],
        trials: count * PILOT_PAIRS * 2,
      },
      {
        what: `${count} experiments of the pairs suggested, all of them run: goodput called different`,
        prediction: `at least ${POWER}`,
        measured: shareOf(comparisons, (comparison) => isDifferent(comparison, "goodput")),
        band: [POWER, 1],
        trials,
      },
      {
        what: `${count} experiments of the pairs suggested at most, stopped early: goodput called different`,
        prediction: `at least ${POWER}`,
        measured: shareOf(outcomes, ({ comparison }) => isDifferent(comparison, "goodput")),
        band: [POWER, 1],
        trials,
      },
      {
        what: `${count} experiments, stopped early: pairs run, of those suggested`,
        prediction: "less than 0.9",
        measured: meanOf(outcomes.map(({ pairs }) => pairs)) / meanOf(suggested),
        band: [0.3, 0.9],
        trials,
      },
    ];
  },
};

/** Experiments of so many pairs each, all with pairs of their own. */
async function experimentsOf(
  lab: VirtualLab,
  sizes: readonly number[],
  firstSeed: number,
): Promise<readonly (readonly TrialResult[])[]> {
  const pairs = await virtualPairs(
    lab,
    KS,
    sizes.reduce((sum, size) => sum + size, 0),
    firstSeed,
  );
  let from = 0;
  return sizes.map((size) => {
    const own = pairs.slice(from, from + size);
    from += size;
    return asExperiment(own);
  });
}
