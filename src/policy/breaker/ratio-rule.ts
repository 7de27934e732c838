import { type OutcomeWindow, STAYS_CLOSED, type TripRule } from "./trip-rule.ts";

/** Whether that many failures of that many attempts are too many. Each source compares in a way of its own. */
export type TooMany = (failures: number, total: number) => boolean;

/**
 * Opens at a failure when the window holds at least `minRequests` attempts, too many of which failed. A success never opens
 * it. The history is forgotten when a probe succeeded, so that the failures before an outage's end do not open it again.
 */
export class RatioRule implements TripRule {
  private readonly window: OutcomeWindow;
  private readonly minRequests: number;
  private readonly tooMany: TooMany;

  constructor(window: OutcomeWindow, minRequests: number, tooMany: TooMany) {
    this.window = window;
    this.minRequests = minRequests;
    this.tooMany = tooMany;
  }

  record(failed: boolean, _tookSeconds: number, nowSeconds: number): number {
    const { window } = this;
    window.record(failed, nowSeconds);
    if (!failed || window.total < this.minRequests) return STAYS_CLOSED;
    return this.tooMany(window.failures, window.total) ? nowSeconds : STAYS_CLOSED;
  }

  probed(failed: boolean): void {
    if (!failed) this.reset();
  }

  reset(): void {
    this.window.reset();
  }
}
