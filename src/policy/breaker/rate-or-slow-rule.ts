import type { ProbeCounts, ProbeVerdict } from "./circuit-breaker.ts";
import { CountWindow } from "./count-window.ts";
import { STAYS_CLOSED, type TripRule } from "./trip-rule.ts";

export interface RateOrSlowOptions {
  /** Attempts in the window. */
  readonly slidingWindowSize: number;
  /** No more than the window holds are asked for. */
  readonly minimumNumberOfCalls: number;
  /** Percent. */
  readonly failureRateThreshold: number;
  /** Percent. */
  readonly slowCallRateThreshold: number;
  /** An attempt that takes longer is slow, failed or not. */
  readonly slowCallSeconds: number;
}

/** `100 x part / total >= threshold`, in single precision, as the source computes it. */
function reaches(part: number, total: number, threshold: number): boolean {
  return Math.fround(Math.fround(part * 100) / Math.fround(total)) >= Math.fround(threshold);
}

/**
 * Opens when the last calls hold at least the minimum number and, in percent, as many as the threshold failed, or were slow.
 * It is asked after successes too: the one that makes the minimum full can open it. A closed breaker starts with an empty
 * window.
 *
 * Source: resilience4j/resilience4j CircuitBreakerMetrics.java (`checkIfThresholdsExceeded`), FixedSizeSlidingWindowMetrics.java.
 */
export class RateOrSlowRule implements TripRule {
  private readonly options: RateOrSlowOptions;
  private readonly minimum: number;
  private readonly window: CountWindow;

  constructor(options: RateOrSlowOptions) {
    this.options = options;
    this.minimum = Math.min(options.minimumNumberOfCalls, options.slidingWindowSize);
    this.window = new CountWindow(options.slidingWindowSize);
  }

  record(failed: boolean, tookSeconds: number, nowSeconds: number): number {
    const { window, options } = this;
    window.record(failed, nowSeconds, tookSeconds > options.slowCallSeconds);
    const { total } = window;
    if (total < this.minimum) return STAYS_CLOSED;
    const tooMany =
      reaches(window.failures, total, options.failureRateThreshold) ||
      reaches(window.slow, total, options.slowCallRateThreshold);
    return tooMany ? nowSeconds : STAYS_CLOSED;
  }

  /** The probes have counts of their own. */
  probed(): void {
    this.reset();
  }

  reset(): void {
    this.window.reset();
  }

  /** The same thresholds over the probes, once `min(minimumNumberOfCalls, probes)` of them ended. */
  judge(probes: number): (counts: Readonly<ProbeCounts>) => ProbeVerdict {
    const { options } = this;
    const minimum = Math.min(options.minimumNumberOfCalls, probes);
    return ({ ended, failed, slow }) => {
      if (ended < minimum) return "wait";
      const tooMany =
        reaches(failed, ended, options.failureRateThreshold) || reaches(slow, ended, options.slowCallRateThreshold);
      return tooMany ? "open" : "close";
    };
  }
}
