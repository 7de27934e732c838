import { STAYS_CLOSED, type TripRule } from "./trip-rule.ts";

/** Opens at the n-th failure in a row. A success sets the count to 0. No clock, so no idle time forgives a failure. */
export class ConsecutiveRule implements TripRule {
  private readonly failuresToOpen: number;
  private failures = 0;

  /** @param failuresToOpen at least 1. */
  constructor(failuresToOpen: number) {
    this.failuresToOpen = failuresToOpen;
  }

  record(failed: boolean, _tookSeconds: number, nowSeconds: number): number {
    if (!failed) {
      this.failures = 0;
      return STAYS_CLOSED;
    }
    this.failures++;
    return this.failures >= this.failuresToOpen ? nowSeconds : STAYS_CLOSED;
  }

  probed(failed: boolean): void {
    if (!failed) this.reset();
  }

  reset(): void {
    this.failures = 0;
  }
}
