/**
 * Every class of difference that is known. A difference that none of them explains fails a run. The grammar of the standard has no
 * class: our parser must agree with it in everything.
 */

import { CLIENT_CHECKS, CONNECTIONS } from "./connection-explanations.ts";
import type { Difference } from "./difference.ts";
import type { Explanation } from "./explanation.ts";
import { FIELDS_BEHIND, LAXER, OTHER_BODY } from "./laxer-explanations.ts";
import { STRICTER } from "./stricter-explanations.ts";

export const EXPLANATIONS: readonly Explanation[] = [
  ...STRICTER,
  ...LAXER,
  ...OTHER_BODY,
  ...FIELDS_BEHIND,
  ...CONNECTIONS,
  ...CLIENT_CHECKS,
];

/** @returns undefined when nothing explains it. */
export function explain(difference: Difference): Explanation | undefined {
  return EXPLANATIONS.find(
    (rule) =>
      rule.references.includes(difference.reference) &&
      rule.aspects.includes(difference.aspect) &&
      (rule.lax || !difference.lax) &&
      rule.holds(difference),
  );
}
