/** Attempts that fail whatever the load: a governor comes to rest among them at an offer that chance chooses. */

import type { CapacitySearch } from "./capacity-conclusion.ts";

/** Offers that far below are no part of what the target does at its limit. */
const BELOW = 0.75;
/** Of the standard normal law: exceeded by chance once in a hundred. */
const SCORE = 2.33;
/** So many failures are to be expected below before their absence says anything. */
const EXPECTED_MIN = 3;

/**
 * `none`: attempts fail at rest and not below it, or more often than there. `background`: as often there. `unknown`: so few attempts
 * were made below that none of them would have failed at the share seen at rest either.
 */
export type BackgroundFailures = "none" | "background" | "unknown";

/** The test of two proportions (Fleiss, "Statistical Methods for Rates and Proportions", 1981, section 2.3), one-sided. */
export function backgroundFailures(searches: readonly CapacitySearch[]): BackgroundFailures {
  const rest = { failures: 0, attempts: 0 };
  const below = { failures: 0, attempts: 0 };
  for (const search of searches) {
    rest.failures += search.failures;
    rest.attempts += search.attempts;
    const bound = BELOW * Math.min(...search.rest.map(({ offer }) => offer));
    for (const { offer, failures, successes } of search.governed.windows) {
      if (offer > bound) continue;
      below.failures += failures;
      below.attempts += failures + successes;
    }
  }
  if (rest.failures === 0) return "none";
  const share = rest.failures / rest.attempts;
  if (below.failures === 0) return share * below.attempts < EXPECTED_MIN ? "unknown" : "none";
  const pooled = (rest.failures + below.failures) / (rest.attempts + below.attempts);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / rest.attempts + 1 / below.attempts));
  return share - below.failures / below.attempts > SCORE * deviation ? "none" : "background";
}
