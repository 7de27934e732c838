/** From a resolved policy to the policy of each user. */

import type { ResolvedPolicy } from "./catalogue.ts";
import type { Clock, Policy, Random } from "./policy.ts";

/** The random streams of a user, see {@link PolicyFactory}; each call gives one that starts anew. */
export interface UserStreams {
  policy(user: number): Random;
  jitter(user: number): Random;
}

/**
 * Makes the policies of any number of users, each at its first call. With the scope `process` all share the policy of user
 * 0; what spreads users over time stays each user's own.
 */
export function userPolicies(resolved: ResolvedPolicy, streams: UserStreams): (user: number, clock: Clock) => Policy {
  const factory = resolved.preset.create(resolved.own);
  const make = (user: number, clock: Clock): Policy => factory(clock, streams.policy(user), streams.jitter(user));
  if (resolved.options.scope !== "process") return make;
  let shared: Policy | undefined;
  return (_user, clock) => {
    shared ??= make(0, clock);
    return shared;
  };
}
