/** The modifiers of an arm, made ready once for the policies of all its users. */

import type { Backoff } from "../parts.ts";
import { chosenBackoff } from "./chosen-backoff.ts";
import type { Modifiers } from "./modifiers.ts";
import { AttemptHeader } from "./request-header.ts";

/** What {@link ModifiedPolicy} does. Times in seconds. */
export interface ModifierRules {
  readonly readsRetryAfter: boolean;
  /** A Retry-After also holds back the user's other calls. */
  readonly holdsUser: boolean;
  readonly retryAfterCap: number;
  readonly retryAfterJitter: number;
  readonly obeysPushback: boolean;
  /** `undefined`: the policy's own delays stay. It is shared: what it carries belongs to the call. */
  readonly backoff: Backoff | undefined;
  readonly backsOffConnections: boolean;
  readonly startJitter: number;
  /** `Infinity`: none. */
  readonly deadline: number;
  readonly deadlineHeader: string;
  readonly attemptHeader: AttemptHeader | undefined;
}

export function modifierRules(modifiers: Modifiers): ModifierRules {
  const { retryAfter, pushback, reconnect, deadline, attemptHeader } = modifiers;
  return {
    readsRetryAfter: retryAfter !== "off",
    holdsUser: retryAfter === "client",
    retryAfterCap: modifiers.retryAfterCap,
    retryAfterJitter: modifiers.retryAfterJitter,
    obeysPushback: pushback === "on",
    backoff: chosenBackoff(modifiers),
    backsOffConnections: reconnect === "on",
    startJitter: modifiers.startJitter,
    deadline: deadline > 0 ? deadline : Number.POSITIVE_INFINITY,
    deadlineHeader: modifiers.deadlineHeader,
    attemptHeader: attemptHeader === "" ? undefined : new AttemptHeader(attemptHeader),
  };
}
