/** What comparisons go by where nobody says another, and what all of them must have the same. */

/** Chance of any false verdict, over all metrics, arms and looks. */
export const ALPHA = 0.05;
/** The smallest change of goodput that matters, as a share. */
export const SMALLEST_EFFECT = 0.05;
/** Of intervals: those that are shown, and those by which arms are called equivalent. */
export const CONFIDENCE = 0.95;
/** The share of experiments in which a detectable effect is found. */
export const POWER = 0.8;

/**
 * What random numbers of a comparison are drawn for; the same for every contrast and metric, so that none shifts another's. An
 * interval gets the same ones where an experiment is stopped by it and where it is shown.
 */
export const CHANCE = { flips: 0, resamples: 1, looks: 2, equivalence: 3 } as const;
