/** Admits as many attempts at once as a {@link Limit} allows. */

import type { ConcurrencyLimiter, Evidence } from "../parts.ts";
import type { Limit } from "./limit.ts";

/**
 * Admits an attempt while `inFlight < floor(limit)`, and never makes one wait. A limit that falls below what is under way
 * stops nothing: it admits nobody until enough have ended.
 *
 * An attempt whose end is no evidence frees its place and is no sample. 40 bytes, besides the rule's.
 *
 * Source: Netflix/concurrency-limits concurrency-limits-core `limiter/SimpleLimiter.java`, `limiter/AbstractLimiter.java`.
 */
export class SlotLimiter implements ConcurrencyLimiter {
  private readonly rule: Limit;
  private underWay = 0;

  constructor(rule: Limit) {
    this.rule = rule;
  }

  get limit(): number {
    return this.rule.limit;
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.underWay;
  }

  acquire(_nowSeconds: number): number {
    if (this.underWay >= Math.floor(this.rule.limit)) return 0;
    this.underWay += 1;
    return this.underWay;
  }

  release(inFlight: number, tookSeconds: number, evidence: Evidence, nowSeconds: number): void {
    if (this.underWay > 0) this.underWay -= 1;
    if (evidence === "ignored") return;
    this.rule.sample(nowSeconds - tookSeconds, tookSeconds, inFlight, evidence === "failure");
  }
}
