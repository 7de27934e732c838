/** The backoff that the modifier `backoff` names. */

import { DecorrelatedJitterBackoff } from "../backoff/decorrelated-jitter-backoff.ts";
import { DecorrelatedV2Backoff } from "../backoff/decorrelated-v2-backoff.ts";
import { EqualJitterBackoff } from "../backoff/equal-jitter-backoff.ts";
import { ExponentialBackoff } from "../backoff/exponential-backoff.ts";
import { FullJitterBackoff } from "../backoff/full-jitter-backoff.ts";
import type { Backoff } from "../parts.ts";
import type { Modifiers } from "./modifiers.ts";

const NONE: Backoff = { delaySeconds: () => 0 };

/** @returns `undefined` when the policy's own delays are to stay. */
export function chosenBackoff({ backoff, backoffBase, backoffCap }: Modifiers): Backoff | undefined {
  const options = { base: backoffBase, cap: backoffCap };
  switch (backoff) {
    case "own":
      return undefined;
    case "none":
      return NONE;
    case "exponential":
      return new ExponentialBackoff(options);
    case "full":
      return new FullJitterBackoff(options);
    case "equal":
      return new EqualJitterBackoff(options);
    case "decorrelated":
      return new DecorrelatedJitterBackoff(options);
    case "v2":
      return new DecorrelatedV2Backoff(options);
    default:
      return backoff satisfies never;
  }
}
