/** Envoy's retry budget. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { DENIED, type RetryBudget } from "../parts.ts";

/** Options of {@link EnvoyBudget}. What is missing or `undefined` has its default. */
export interface EnvoyBudgetOptions {
  /** Retries under way, in percent of the requests under way, 0 to 100. Default 20. */
  readonly budgetPercent?: number | undefined;
  /** Retries under way that are always allowed. Default 3. */
  readonly minRetryConcurrency?: number | undefined;
}

/** The options' defaults and bounds. */
export const envoyBudgetOptions = {
  budgetPercent: {
    default: 20,
    kind: "number",
    min: 0,
    max: 100,
    unit: "count",
    doc: "Retries under way at once, in percent of the requests under way",
  },
  minRetryConcurrency: {
    default: 3,
    kind: "integer",
    min: 0,
    max: 4_294_967_295,
    unit: "count",
    doc: "Retries under way at once that are always allowed; per client unless the scope is process",
  },
} as const satisfies Record<string, NumberSpec>;

/**
 * A retry is granted while the retries under way are **fewer** than `max(trunc(budgetPercent / 100 x requests),
 * minRetryConcurrency)`, requests being those under way at this moment, the failing one included. A retry holds its place
 * from the decision to its end, its backoff included; the place of the retry that just failed is free before the next one
 * asks.
 *
 * A bound on what is under way needs no clock and knows no rate: while answers are fast, few requests are under way, and the
 * minimum alone decides, so that each of many small clients retries everything that it has under way.
 *
 * Here a call in its backoff counts as a request under way; in Envoy it is not one until it is sent. The limit is higher by at
 * most the percentage of the retries in backoff.
 *
 * Memory: about 70 bytes.
 *
 * Sources: envoyproxy/envoy source/common/upstream/resource_manager_impl.h (`RetryBudgetImpl`), source/common/router/
 * retry_state_impl.cc (`shouldRetry`).
 */
export class EnvoyBudget implements RetryBudget {
  private readonly share: number;
  private readonly minimum: number;
  private requests = 0;
  private retries = 0;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: EnvoyBudgetOptions = {}) {
    const { budgetPercent, minRetryConcurrency } = resolveOptions("create EnvoyBudget", envoyBudgetOptions, options);
    this.share = budgetPercent / 100;
    this.minimum = minRetryConcurrency;
  }

  callStarted(): void {
    this.requests += 1;
  }

  attemptEnded(): void {}

  withdraw(): number {
    const limit = Math.max(Math.trunc(this.share * this.requests), this.minimum);
    if (this.retries >= limit) return DENIED;
    this.retries += 1;
    return 1;
  }

  retryEnded(): void {
    this.retries -= 1;
  }

  callEnded(): void {
    this.requests -= 1;
  }
}
