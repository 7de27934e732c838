/** In which order the trials of an experiment run. */

/** One trial to come: which arm, in which pair. */
export interface ScheduledTrial {
  readonly arm: string;
  readonly pair: number;
}

/**
 * The trials of `pairs` pairs, interleaved and balanced: off-on, on-off, off-on ... A drift of the machine or the target
 * then hits both arms alike.
 */
export function scheduleTrials(arms: readonly string[], pairs: number): ScheduledTrial[] {
  const reversed = arms.toReversed();
  return Array.from({ length: pairs }, (_, pair) =>
    (pair % 2 === 0 ? arms : reversed).map((arm) => ({ arm, pair })),
  ).flat();
}
