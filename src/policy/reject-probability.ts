/** The equation of adaptive throttling. */

/**
 * The probability with which a client rejects its next attempt: `max(0, (requests - k x accepts) / (requests + 1))`.
 * The + 1 keeps it below 1, so that an occasional attempt finds out that the backend has recovered.
 *
 * Source: Site Reliability Engineering (Google/O'Reilly 2016), chapter 21 "Handling Overload", "Client-Side Throttling".
 */
export function rejectProbability(requests: number, accepts: number, k: number): number {
  return Math.max(0, (requests - k * accepts) / (requests + 1));
}
