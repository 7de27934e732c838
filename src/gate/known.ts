/** What a figure comes to: a value, or the reason why there is none. */

import type { Span } from "./span.ts";

export type Known = { readonly kind: "value"; readonly span: Span } | Missing;

export interface Missing {
  readonly kind: "missing";
  /** One clause without a full stop: `trial 2 of on has no response.ok.p99Ms: no call ended so`. */
  readonly reason: string;
}

export function missing(reason: string): Missing {
  return { kind: "missing", reason };
}

/** A value, unless it is too large for a number. */
export function known(span: Span): Known {
  const { low, high } = span;
  const isTooLarge = low === high ? !Number.isFinite(low) : low === Number.POSITIVE_INFINITY;
  return isTooLarge || Number.isNaN(low) || Number.isNaN(high)
    ? missing("it comes to more than numbers can hold")
    : { kind: "value", span };
}
