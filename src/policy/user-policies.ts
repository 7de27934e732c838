/** From a resolved policy to the policy of each user. */

import type { ResolvedPolicy } from "./catalogue.ts";
import { ModifiedPolicy } from "./modifier/modified-policy.ts";
import { modifierRules } from "./modifier/modifier-rules.ts";
import { checkModifiers, isModified, modifierHeaders, modifiersIn } from "./modifier/modifiers.ts";
import type { Clock, Policy, Random } from "./policy.ts";

/** The random streams of a user, see {@link PolicyFactory}; each call gives one that starts anew. */
export interface UserStreams {
  policy(user: number): Random;
  jitter(user: number): Random;
}

/** Makes the policy of one user; to be called once a user. */
export type MakeUserPolicy = (user: number, clock: Clock) => Policy;

/** The headers of an answer that the policy and its modifiers read, in lower case, each once. */
export function headersRead({ preset, options }: ResolvedPolicy): readonly string[] {
  return [...new Set([...(preset.readsHeaders ?? []), ...modifierHeaders(modifiersIn(options))])];
}

/**
 * Makes the policies of any number of users, each at its first call. With the scope `process` all share the policy of user
 * 0; the modifiers around it stay each user's own, as they are what spreads users over time.
 *
 * A user's policy and modifiers draw their delays from one stream.
 *
 * @throws {RangeError} when the options do not go together.
 */
export function userPolicies(resolved: ResolvedPolicy, streams: UserStreams): MakeUserPolicy {
  const factory = resolved.preset.create(resolved.own);
  const modifiers = modifiersIn(resolved.options);
  checkModifiers(resolved.name, modifiers);
  const rules = isModified(modifiers) ? modifierRules(modifiers) : undefined;
  const modified = (policy: Policy, clock: Clock, jitter: Random): Policy =>
    rules === undefined ? policy : new ModifiedPolicy(policy, clock, jitter, rules);
  if (modifiers.scope === "user") {
    return (user, clock) => {
      const jitter = streams.jitter(user);
      return modified(factory(clock, streams.policy(user), jitter), clock, jitter);
    };
  }
  const sharedJitter = streams.jitter(0);
  let shared: Policy | undefined;
  return (user, clock) => {
    shared ??= factory(clock, streams.policy(0), sharedJitter);
    if (rules === undefined) return shared;
    return modified(shared, clock, user === 0 ? sharedJitter : streams.jitter(user));
  };
}
