/** In which order the trials of an experiment run. */

import { stream } from "../plan/streams.ts";

/** One trial to come: which arm, in which pair. */
export interface ScheduledTrial {
  readonly arm: string;
  readonly pair: number;
}

/**
 * The trials of `pairs` pairs, pair by pair. Pairs come in blocks of two: a permutation of the arms, drawn for each block, and
 * the same from its end, as in off-on, on-off. Over a block no arm comes earlier than another on the average, so that a steady
 * drift of the machine or the target hits all alike; and which one is the first is chance, so that nothing periodic can favour
 * one (Box, Hunter and Hunter, "Statistics for Experimenters", 2005, chapter 4).
 *
 * The order follows from the seed; more pairs leave that of the first ones as it is.
 *
 * @param seed of the experiment: a non-negative safe integer.
 */
export function scheduleTrials(arms: readonly string[], pairs: number, seed: number): ScheduledTrial[] {
  const trials: ScheduledTrial[] = [];
  for (let pair = 0; pair < pairs; pair += 2) {
    const order = shuffled(arms, seed, pair / 2);
    trials.push(...order.map((arm) => ({ arm, pair })));
    if (pair + 1 < pairs) trials.push(...order.toReversed().map((arm) => ({ arm, pair: pair + 1 })));
  }
  return trials;
}

/** Durstenfeld's shuffle: each permutation is as likely as any other. */
function shuffled(arms: readonly string[], seed: number, block: number): readonly string[] {
  const chance = stream(seed, "order", block);
  const order = [...arms];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(chance.random() * (last + 1));
    [order[last], order[other]] = [order[other] as string, order[last] as string];
  }
  return order;
}
