/**
 * The steps in which a percentile distribution is told, ever finer towards the largest value: so many to each half of the
 * distance to 100 %. The steps are those of HdrHistogram's PercentileIterator, so that its plotters draw the same curve.
 */

import type { DecodedLatencies } from "./export-input.ts";

export interface PercentileStep {
  /** 0..1: the percentile that was asked for. */
  readonly share: number;
  /** The largest value that is taken for the same as the one at the percentile. */
  readonly micros: number;
  /** Values up to that one. */
  readonly total: number;
}

/** @param ticksPerHalf steps for each half of the distance; default 5, as its tools write. */
export function percentileSteps({ bins }: DecodedLatencies, ticksPerHalf = 5): readonly PercentileStep[] {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const steps: PercentileStep[] = [];
  let percent = 0;
  let halvings = 1;
  let upTo = 0;
  for (const { highMicros, count } of bins) {
    upTo += count;
    while ((100 * upTo) / total >= percent) {
      steps.push({ share: percent / 100, micros: highMicros, total: upTo });
      while (100 / (100 - percent) >= 2 ** halvings) halvings++;
      percent += 100 / (ticksPerHalf * 2 ** halvings);
      // The largest value is told once more, as the one at 100 %.
      if (upTo === total) break;
    }
  }
  const last = bins.at(-1);
  return last === undefined ? [] : [...steps, { share: 1, micros: last.highMicros, total }];
}
