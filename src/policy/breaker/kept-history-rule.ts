import type { TripRule } from "./trip-rule.ts";

/**
 * A rule whose history also takes in the probes: a success of one clears it and is its first entry, a failure is added to what
 * is there. Seen only by attempts that were let in before the breaker opened and end after it closed, or while it is half-open.
 *
 * Source: connor4312/cockatiel src/breaker/SamplingBreaker.ts, CountBreaker.ts.
 */
export class KeptHistoryRule implements TripRule {
  private readonly rule: TripRule;

  constructor(rule: TripRule) {
    this.rule = rule;
  }

  record(failed: boolean, tookSeconds: number, nowSeconds: number): number {
    return this.rule.record(failed, tookSeconds, nowSeconds);
  }

  probed(failed: boolean, tookSeconds: number, nowSeconds: number): void {
    if (!failed) this.rule.reset();
    this.rule.record(failed, tookSeconds, nowSeconds);
  }

  reset(): void {
    this.rule.reset();
  }
}
