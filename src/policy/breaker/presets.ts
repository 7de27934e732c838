/** Circuit breakers: those that stand before every attempt, and the one that stands before retries only. */

import { ComposedPolicy } from "../composed-policy.ts";
import { volumeOf, windowOf } from "../lint/policy-traits.ts";
import { maxAttemptsOption } from "../option.ts";
import type { PolicyPreset } from "../preset.ts";
import { breakerPreset, count, type Own, probeTimeout, ratio, seconds } from "./breaker-preset.ts";
import { BucketWindow } from "./bucket-window.ts";
import { allMustSucceed, CircuitBreaker } from "./circuit-breaker.ts";
import { ConsecutiveRule } from "./consecutive-rule.ts";
import { libraryPresets } from "./library-presets.ts";
import { constantOpenTime } from "./open-time.ts";
import { RatioRule } from "./ratio-rule.ts";
import { RetryBreaker } from "./retry-breaker.ts";

export const breakerPresets: readonly PolicyPreset[] = [
  breakerPreset({
    name: "breaker-consecutive",
    summary: "A circuit breaker that opens after so many failures in a row",
    use: "The breaker of most Go services, and the simplest to reason about",
    fails:
      "Blind to a backend that fails half of everything; with many calls a second a short hiccup cuts all of them off for a minute",
    equation:
      "open when failures in a row >= failures; after timeout, maxRequests probes: all succeed -> closed, one fails -> open",
    source: "sony/gobreaker v2/gobreaker.go, which opens when there are more than 5",
    options: {
      failures: count(6, "Failures in a row that open it"),
      timeout: seconds(60, "Time for which it stays open"),
      maxRequests: count(1, "Probes that may pass while half-open; all must succeed"),
      interval: seconds(0, "A closed breaker forgets its failures this often; 0 never", 0),
      probeTimeout,
    },
    traits: (own) => ({
      window: windowOf(own, "interval", false),
      volume: volumeOf(own, "failures", own.interval || undefined),
    }),
    breaker: consecutiveBreaker,
  }),
  breakerPreset({
    name: "breaker-ratio",
    summary: "A circuit breaker that opens when too large a share of the last attempts failed",
    use: "Where failures come mixed with successes: the usual breaker of service libraries",
    fails:
      "Cuts off all calls when some fail, so a backend at half its capacity serves nothing; clients below minRequests never open it",
    equation: "open when total >= minRequests and failures / total >= failureRatio; after openFor one probe decides",
    source: "Nygard, Release It! (2007), chapter 5; figures of Netflix/Hystrix HystrixCommandProperties.java",
    options: {
      failureRatio: ratio(0.5, "Share of failures in the window that opens it"),
      window: seconds(10, "Length of the sliding window, of ten buckets"),
      minRequests: count(20, "Attempts in the window below which it stays closed"),
      openFor: seconds(5, "Time for which it stays open"),
      probeTimeout,
    },
    traits: (own) => ({ window: windowOf(own, "window"), volume: volumeOf(own, "minRequests", own.window) }),
    breaker: ratioBreaker,
  }),
  {
    name: "breaker-retries-only",
    family: "breaker",
    summary: "A breaker before the retries only: first attempts always pass, retries end when too many attempts fail",
    use: "Retries without a storm, where no call may be refused",
    fails:
      "Ends the retries at failure rates that they would mend; counts all of the past unless it has a window, so it turns late both ways",
    equation: "retry while failed attempts / calls <= maxRate",
    source: "mbrooker/simulator_example retry_sim/retry_strategy.py, with the figures of retry_sim.py",
    options: {
      maxRate: ratio(0.1, "Failed attempts per call above which no retry is made", Number.MAX_SAFE_INTEGER),
      window: seconds(0, "Length of the sliding window, of ten buckets; 0 counts all of the past", 0),
      maxAttempts: { ...maxAttemptsOption, default: 4 },
    },
    traits: (own) => ({ window: windowOf(own, "window") }),
    create: (options) => (clock, _random, jitter) =>
      new ComposedPolicy(clock, jitter, {
        budget: new RetryBreaker(options.maxRate as number, options.window as number),
        denial: "broken",
        maxAttempts: options.maxAttempts as number,
      }),
  },
  ...libraryPresets,
];

export function consecutiveBreaker(
  own: Own<"failures" | "timeout" | "maxRequests" | "interval" | "probeTimeout">,
): CircuitBreaker {
  return new CircuitBreaker({
    rule: new ConsecutiveRule(own.failures),
    openTime: constantOpenTime(own.timeout),
    halfOpens: "after",
    probes: own.maxRequests,
    judge: allMustSucceed(own.maxRequests),
    probeTimeoutSeconds: own.probeTimeout,
    late: "ignored",
    clearEverySeconds: own.interval,
  });
}

export function ratioBreaker(
  own: Own<"failureRatio" | "window" | "minRequests" | "openFor" | "probeTimeout">,
): CircuitBreaker {
  return new CircuitBreaker({
    rule: new RatioRule(
      new BucketWindow(own.window, 10),
      own.minRequests,
      (failures, total) => failures / total >= own.failureRatio,
    ),
    openTime: constantOpenTime(own.openFor),
    halfOpens: "at",
    probes: 1,
    judge: allMustSucceed(1),
    probeTimeoutSeconds: own.probeTimeout,
    late: "ignored",
  });
}
