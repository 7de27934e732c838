/** Additive increase, multiplicative decrease, by loss alone. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { checkLimitBounds, type Limit } from "./limit.ts";

/** The options' defaults and bounds. */
export const aimdLimitOptions = {
  initialLimit: {
    default: 20,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Limit at the start",
  },
  minLimit: {
    default: 20,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Smallest limit; with the default the limiter never refuses a client of fewer than 20 at once",
  },
  maxLimit: {
    default: 200,
    kind: "integer",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Largest limit",
  },
  backoffRatio: {
    default: 0.9,
    kind: "number",
    min: 0.5,
    max: 1 - Number.EPSILON,
    unit: "ratio",
    doc: "What a drop leaves of the limit",
  },
  timeout: {
    default: 5,
    kind: "number",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "seconds",
    doc: "An attempt that takes longer counts as dropped",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link AimdLimit}. */
export type AimdLimitOptions = { readonly [Name in keyof typeof aimdLimitOptions]?: number | undefined };

/**
 * ```text
 * dropped or rtt > timeout:   limit = floor(backoffRatio x limit)
 * else 2 x inFlight >= limit: limit = limit + 1
 * ```
 * within [minLimit, maxLimit].
 *
 * The increase is one for each sample, so a client that fills its limit doubles it with every round trip; one that uses less
 * than half of it learns nothing. There is no guard of one cut for each round trip: a burst of n drops multiplies by
 * backoffRatio^n. 0.9 is mild for that reason.
 *
 * Source: Netflix/concurrency-limits concurrency-limits-core `limit/AIMDLimit.java`.
 */
export class AimdLimit implements Limit {
  limit: number;
  private readonly minLimit: number;
  private readonly maxLimit: number;
  private readonly backoffRatio: number;
  private readonly timeoutSeconds: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: AimdLimitOptions = {}) {
    const action = "create AimdLimit";
    const resolved = resolveOptions(action, aimdLimitOptions, options);
    const { initialLimit, minLimit, maxLimit } = resolved;
    checkLimitBounds(action, {
      initial: ["initialLimit", initialLimit],
      min: ["minLimit", minLimit],
      max: ["maxLimit", maxLimit],
    });
    this.limit = initialLimit;
    this.minLimit = minLimit;
    this.maxLimit = maxLimit;
    this.backoffRatio = resolved.backoffRatio;
    this.timeoutSeconds = resolved.timeout;
  }

  sample(_startSeconds: number, rttSeconds: number, inFlight: number, dropped: boolean): void {
    if (dropped || rttSeconds > this.timeoutSeconds) {
      this.limit = Math.max(this.minLimit, Math.floor(this.limit * this.backoffRatio));
    } else if (inFlight * 2 >= this.limit) {
      this.limit = Math.min(this.maxLimit, this.limit + 1);
    }
  }
}
