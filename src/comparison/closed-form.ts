/**
 * What a backend serves of which a rejection takes r of what an accepted attempt takes, at a capacity of C accepted attempts a
 * second: A + r (s - A) = C. Clients that count their own rejections send s = K A once that is less than they have; those of
 * which nobody is held back send all, lambda.
 *
 *     lambda <= C:     A = lambda
 *     lambda >= K A:   A = C / (1 + r (K - 1))
 *
 * Between the two what is sent depends on retries, and no closed form says it.
 *
 * Sources: B. Beyer et al., "Site Reliability Engineering", O'Reilly, 2016, chapter 21 (the throttle); the rest by balance of work.
 *
 * @param capacity C. @param rejectCost r, at least 0. @param k K, above 1. @param offered lambda, calls per second.
 * @returns accepted attempts per second; undefined between the two cases.
 */
export function closedFormGoodput(
  { capacity, rejectCost }: { readonly capacity: number; readonly rejectCost: number },
  k: number,
  offered: number,
): number | undefined {
  if (offered <= capacity) return offered;
  const accepted = capacity / (1 + rejectCost * (k - 1));
  return offered >= k * accepted ? accepted : undefined;
}
