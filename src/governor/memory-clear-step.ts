/** When an offer that failed once is forgotten. */

/** Windows in a row that clear the memory. One is luck at an offer on the edge; the probes go on rising meanwhile. */
export const MEMORY_CLEAR_STREAK = 3;

/** The state after a window, and whether the memory is to be cleared with it. */
export interface MemoryStep {
  readonly streak: number;
  readonly cleared: boolean;
}

/**
 * Counts windows in a row that were clean at or above the offer remembered as bad. Any other window, also one that was clean
 * below it or held, starts anew; so does the count itself when it clears.
 *
 * @param streak such windows so far.
 * @param evidence whether this one was such a window.
 */
export function memoryClearStep(streak: number, evidence: boolean): MemoryStep {
  if (!evidence) return { streak: 0, cleared: false };
  const next = streak + 1;
  return next >= MEMORY_CLEAR_STREAK ? { streak: 0, cleared: true } : { streak: next, cleared: false };
}
