/** The retry budget of failsafe-go. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { DENIED, type RetryBudget } from "../parts.ts";

/** Options of {@link FailsafeGoBudget}. What is missing or `undefined` has its default. */
export interface FailsafeGoBudgetOptions {
  /** Share of the executions under way that may be retries. Default 0.2. */
  readonly maxRate?: number | undefined;
  /** Retries under way that are always allowed. Default 3. */
  readonly minConcurrency?: number | undefined;
}

/** The options' defaults and bounds. */
export const failsafeGoBudgetOptions = {
  maxRate: {
    default: 0.2,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "Share of the executions under way that may be retries",
  },
  minConcurrency: {
    default: 3,
    kind: "integer",
    min: 0,
    max: 4_294_967_295,
    unit: "count",
    doc: "Retries under way at once that are always allowed; per client unless the scope is process",
  },
} as const satisfies Record<string, NumberSpec>;

/**
 * A retry is denied once `minConcurrency` retries are under way and they are **more** than `maxRate` of the executions. An
 * execution is a call under way, and once more each retry under way: it counts beside the call that it belongs to. So with
 * c calls the retries grow until they pass `maxRate / (1 - maxRate) x c`, a quarter of the calls with the defaults, and not a
 * fifth as in {@link EnvoyBudget}.
 *
 * Memory: about 60 bytes.
 *
 * Source: failsafe-go/failsafe-go budget/budget.go (`TryAcquirePermit`), retrypolicy/retryexecutor.go (`Apply`), which asks
 * after the delay of its retry; its default is no delay.
 */
export class FailsafeGoBudget implements RetryBudget {
  private readonly maxRate: number;
  private readonly minConcurrency: number;
  private executions = 0;
  private retries = 0;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: FailsafeGoBudgetOptions = {}) {
    const { maxRate, minConcurrency } = resolveOptions("create FailsafeGoBudget", failsafeGoBudgetOptions, options);
    this.maxRate = maxRate;
    this.minConcurrency = minConcurrency;
  }

  callStarted(): void {
    this.executions += 1;
  }

  attemptEnded(): void {}

  withdraw(): number {
    if (this.retries >= this.minConcurrency && this.retries / this.executions > this.maxRate) return DENIED;
    this.retries += 1;
    this.executions += 1;
    return 1;
  }

  retryEnded(): void {
    this.retries -= 1;
    this.executions -= 1;
  }

  callEnded(): void {
    this.executions -= 1;
  }
}
