/** Times as sources that count milliseconds have them. */

/** A reading of whole milliseconds, turned into seconds and back, may lack its last bit. */
const ROUNDING_MS = 1e-6;

/** The whole milliseconds of a time in seconds. */
export function wholeMilliseconds(seconds: number): number {
  return Math.floor(1000 * seconds + ROUNDING_MS);
}
