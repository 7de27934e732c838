/** The breakers of well-known libraries, each with its own rule, its own defaults and its own way with late answers. */

import { plainEvidence } from "../composed-policy.ts";
import { rateOf, volumeOf, windowOf } from "../lint/policy-traits.ts";
import type { Evidence } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import type { PolicyPreset } from "../preset.ts";
import { ArrivalsRule } from "./arrivals-rule.ts";
import {
  breakerPreset,
  count,
  MOST_BUCKETS,
  MOST_CALLS,
  type Own,
  percent,
  probeTimeout,
  ratio,
  seconds,
} from "./breaker-preset.ts";
import { allMustSucceed, CircuitBreaker } from "./circuit-breaker.ts";
import { ConsecutiveRule } from "./consecutive-rule.ts";
import { DriftingWindow } from "./drifting-window.ts";
import { FailureAccrual } from "./failure-accrual.ts";
import { KeptHistoryRule } from "./kept-history-rule.ts";
import { constantOpenTime, DoublingOpenTime } from "./open-time.ts";
import { RateOrSlowRule } from "./rate-or-slow-rule.ts";
import { RatioRule } from "./ratio-rule.ts";
import { SnapshotRule } from "./snapshot-rule.ts";

export const libraryPresets: readonly PolicyPreset[] = [
  breakerPreset({
    name: "polly",
    summary: "The circuit breaker of Polly 8: a tenth of at least 100 attempts in 30 s",
    use: ".NET services, often through the standard resilience handler",
    fails:
      "Silent below 100 attempts in 30 s, and above it cuts off a backend that fails a tenth; a late answer can pass for the probe's",
    equation:
      "open when total >= minimumThroughput and failures / total >= failureRatio; after breakDuration one probe decides",
    source:
      "App-vNext/Polly src/Polly.Core/CircuitBreaker/Controller/CircuitStateController.cs, Health/RollingHealthMetrics.cs",
    options: {
      failureRatio: ratio(0.1, "Share of failures in the window that opens it"),
      minimumThroughput: count(100, "Attempts in the window below which it stays closed", 2),
      samplingDuration: seconds(30, "Length of the window, of ten slices that start with the traffic", 0.5),
      breakDuration: seconds(5, "Time for which it stays open", 0.5),
      probeTimeout,
    },
    traits: (own) => ({
      window: windowOf(own, "samplingDuration"),
      volume: volumeOf(own, "minimumThroughput", own.samplingDuration),
    }),
    breaker: (own) =>
      new CircuitBreaker({
        rule: new RatioRule(
          new DriftingWindow(own.samplingDuration, 10, true),
          own.minimumThroughput,
          (failures, total) => failures / total >= own.failureRatio,
        ),
        openTime: constantOpenTime(own.breakDuration),
        halfOpens: "at",
        probes: 1,
        judge: allMustSucceed(1),
        probeTimeoutSeconds: own.probeTimeout,
        late: "presentState",
      }),
  }),
  breakerPreset({
    name: "resilience4j",
    summary: "The circuit breaker of resilience4j: half of the last 100 attempts failed, or all were slow",
    use: "Java services, mostly through Spring",
    fails:
      "Counts attempts, not time: at few calls a minute it judges by failures of hours ago; ten probes meet a backend that is still down",
    equation:
      "open when of the last slidingWindowSize at least minimumNumberOfCalls and failureRateThreshold % failed; 10 probes, the same threshold",
    source:
      "resilience4j/resilience4j resilience4j-circuitbreaker CircuitBreakerConfig.java, internal/CircuitBreakerStateMachine.java",
    options: {
      failureRateThreshold: percent(50, "Share of failures that opens it"),
      slowCallRateThreshold: percent(100, "Share of slow attempts that opens it"),
      slowCallDurationThreshold: seconds(60, "An attempt that takes longer is slow"),
      slidingWindowSize: count(100, "Attempts in the window"),
      minimumNumberOfCalls: count(100, "Attempts in the window below which it stays closed"),
      permittedNumberOfCallsInHalfOpenState: count(10, "Probes that may pass while half-open"),
      waitDurationInOpenState: seconds(60, "Time for which it stays open"),
      probeTimeout,
    },
    traits: (own) => {
      const volume = volumeOf(own, "minimumNumberOfCalls", undefined);
      // No more than the window holds are asked for.
      return { volume: { ...volume, calls: Math.min(volume.calls, own.slidingWindowSize as number) } };
    },
    breaker: (own) => {
      const rule = new RateOrSlowRule({ ...own, slowCallSeconds: own.slowCallDurationThreshold });
      return new CircuitBreaker({
        rule,
        openTime: constantOpenTime(own.waitDurationInOpenState),
        halfOpens: "after",
        probes: own.permittedNumberOfCallsInHalfOpenState,
        judge: rule.judge(own.permittedNumberOfCallsInHalfOpenState),
        slowSeconds: own.slowCallDurationThreshold,
        probeTimeoutSeconds: own.probeTimeout,
        late: "presentState",
      });
    },
  }),
  breakerPreset({
    name: "hystrix",
    summary: "The circuit breaker of Hystrix: half of at least 20 attempts in 10 s, looked at twice a second",
    use: "The model of most breakers; no longer developed, still deployed",
    fails: "Opens up to half a second late; a backend that fails half of everything serves nothing",
    equation:
      "at each tick: open when total >= requestVolumeThreshold and trunc(100 failures / total) >= errorThresholdPercentage; one probe after sleepWindow",
    source: "Netflix/Hystrix hystrix-core HystrixCircuitBreaker.java, HystrixCommandProperties.java",
    options: {
      requestVolumeThreshold: count(20, "Attempts in the window below which it stays closed"),
      errorThresholdPercentage: percent(50, "Share of failures that opens it"),
      sleepWindow: seconds(5, "Time for which it stays open"),
      rollingStatsTime: seconds(10, "Length of the window"),
      healthSnapshots: count(20, "Ticks in a window, one each half second with the defaults", 1, MOST_BUCKETS),
      probeTimeout,
    },
    traits: (own) => ({
      window: windowOf(own, "rollingStatsTime"),
      volume: volumeOf(own, "requestVolumeThreshold", own.rollingStatsTime),
    }),
    breaker: (own) =>
      new CircuitBreaker({
        rule: new SnapshotRule(
          own.rollingStatsTime,
          own.healthSnapshots,
          own.requestVolumeThreshold,
          own.errorThresholdPercentage,
        ),
        openTime: constantOpenTime(own.sleepWindow),
        halfOpens: "after",
        probes: 1,
        judge: allMustSucceed(1),
        probeTimeoutSeconds: own.probeTimeout,
        late: "presentState",
      }),
  }),
  breakerPreset({
    name: "opossum",
    summary: "The circuit breaker of opossum: more than half of all arrivals in 10 s failed, whatever their number",
    use: "Node services",
    fails:
      "Opens at the first failure after ten quiet seconds, as its volume threshold is 0; counts what it refused and what is under way as no failure",
    equation:
      "open when arrivals >= volumeThreshold and 100 failures / arrivals > errorThresholdPercentage; one probe after resetTimeout",
    source: "nodeshift/opossum lib/circuit.js, lib/status.js",
    options: {
      errorThresholdPercentage: percent(50, "Failures among the arrivals above which it opens"),
      volumeThreshold: count(0, "Arrivals in the window below which it stays closed", 0),
      rollingCountTimeout: seconds(10, "Length of the window"),
      rollingCountBuckets: count(10, "Buckets of the window", 1, MOST_BUCKETS),
      resetTimeout: seconds(30, "Time for which it stays open"),
      probeTimeout,
    },
    traits: (own) => ({
      window: windowOf(own, "rollingCountTimeout"),
      volume: volumeOf(own, "volumeThreshold", own.rollingCountTimeout),
    }),
    breaker: opossumBreaker,
  }),
  breakerPreset({
    name: "cockatiel",
    summary: "The sampling breaker of cockatiel: more than a fifth failed, at 25 attempts a second or more",
    use: "Node services and browser clients in TypeScript",
    fails: "Silent at low rates; slices that only traffic turns over count a morning's failures in the evening",
    equation:
      "open when total >= duration x minimumRps and failures > threshold x total; one probe after halfOpenAfter",
    source:
      "connor4312/cockatiel src/breaker/SamplingBreaker.ts, src/CircuitBreakerPolicy.ts; figures of its readme, as it has no defaults",
    options: {
      threshold: ratio(0.2, "Share of failures above which it opens", 0.9999, 0.0001),
      duration: seconds(30, "Length of the window, in slices of at most a second, at least 5", 0.005),
      minimumRps: {
        ...ratio(0, "Attempts a second below which it stays closed; 0 means 5 / threshold", MOST_CALLS),
        unit: "perSecond",
      },
      halfOpenAfter: seconds(10, "Time for which it stays open"),
      probeTimeout,
    },
    traits: (own) => {
      const duration = own.duration as number;
      const perSecond = own.minimumRps || 5 / (own.threshold as number);
      return {
        window: windowOf(own, "duration"),
        volume: { ...rateOf(own, "minimumRps", duration), calls: duration * perSecond },
      };
    },
    breaker: samplingBreaker,
  }),
  breakerPreset({
    name: "finagle-failure-accrual",
    summary:
      "Finagle's failure accrual: dead below 80 % of success over 30 s or after 5 failures in a row, for 5 s to 300 s",
    use: "Clients built on Finagle, and Linkerd 1",
    fails:
      "A backend that stays down longer than a few minutes is probed once in 5 minutes, so it is missed for as long when it is back",
    equation:
      "dead when e < requiredSuccessRate, e' = x (1 - w) + e w, w = exp(-dt / window), or numFailures in a row; equal jitter",
    source:
      "twitter/finagle finagle-core liveness/FailureAccrualFactory.scala (defaultPolicy), liveness/FailureAccrualPolicy.scala",
    options: {
      requiredSuccessRate: ratio(0.8, "Moving average of successes below which it is dead"),
      window: seconds(30, "Mean lifetime of an attempt in the moving average"),
      minRequestThreshold: count(5, "Attempts in the window below which the average is not trusted"),
      numFailures: count(5, "Failures in a row after which it is dead"),
      minBackoff: seconds(5, "Time for which it is dead at first"),
      maxBackoff: seconds(300, "Longest time for which it is dead"),
      probeTimeout,
    },
    traits: (own) => ({ window: windowOf(own, "window") }),
    check: ({ minBackoff, maxBackoff }) =>
      mustNotExceed("finagle-failure-accrual", ["minBackoff", minBackoff], ["maxBackoff", maxBackoff]),
    breaker: (own, jitter) =>
      new FailureAccrual(
        {
          ...own,
          windowSeconds: own.window,
          consecutiveFailures: own.numFailures,
          minDeadSeconds: own.minBackoff,
          maxDeadSeconds: own.maxBackoff,
          probeTimeoutSeconds: own.probeTimeout,
        },
        jitter,
      ),
  }),
  breakerPreset({
    name: "linkerd-breaker",
    summary: "The consecutive-failures breaker of the Linkerd proxy: 7 failures in a row, then 1 s to 60 s",
    use: "Services in a Linkerd mesh that have the annotation for it",
    fails:
      "Never opens on 429, its own word for an answer that is no failure; blind to a backend that fails half of everything",
    equation:
      "open when failures in a row = maxFailures, for min(maxPenalty, minPenalty x 2^i) x (1 + U(0, jitterRatio)); one probe decides",
    source:
      "linkerd/linkerd2-proxy linkerd/app/outbound/src/http/breaker/consecutive_failures.rs; linkerd/linkerd2 policy-controller/k8s/index/src/outbound/index.rs",
    options: {
      maxFailures: count(7, "Failures in a row that open it: no answer, or a status of 500 and more"),
      minPenalty: seconds(1, "Time for which it stays open at first"),
      maxPenalty: seconds(60, "Longest time for which it stays open"),
      jitterRatio: ratio(0.5, "Largest share of the time that is added to it at random", 100),
      probeTimeout,
    },
    traits: (own) => ({ volume: volumeOf(own, "maxFailures", undefined) }),
    check: ({ minPenalty, maxPenalty }) =>
      mustNotExceed("linkerd-breaker", ["minPenalty", minPenalty], ["maxPenalty", maxPenalty]),
    evidence: serverErrorsFail,
    breaker: (own, jitter) =>
      new CircuitBreaker({
        rule: new ConsecutiveRule(own.maxFailures),
        openTime: new DoublingOpenTime(own.minPenalty, own.maxPenalty, own.jitterRatio, jitter),
        halfOpens: "timer",
        probes: 1,
        judge: allMustSucceed(1),
        probeTimeoutSeconds: own.probeTimeout,
        late: "presentState",
      }),
  }),
];

export function opossumBreaker(
  own: Own<
    | "errorThresholdPercentage"
    | "volumeThreshold"
    | "rollingCountTimeout"
    | "rollingCountBuckets"
    | "resetTimeout"
    | "probeTimeout"
  >,
): CircuitBreaker {
  return new CircuitBreaker({
    rule: new ArrivalsRule(
      own.rollingCountTimeout,
      own.rollingCountBuckets,
      own.volumeThreshold,
      own.errorThresholdPercentage,
    ),
    openTime: constantOpenTime(own.resetTimeout),
    halfOpens: "timer",
    probes: 1,
    judge: allMustSucceed(1),
    probeTimeoutSeconds: own.probeTimeout,
    late: "presentState",
  });
}

/** The window's slices and the volume are worked out in milliseconds, as the source does. */
export function samplingBreaker(
  own: Own<"threshold" | "duration" | "minimumRps" | "halfOpenAfter" | "probeTimeout">,
): CircuitBreaker {
  const slices = Math.max(5, Math.ceil(own.duration));
  const windowMs = Math.round((own.duration * 1000) / slices) * slices;
  const minimumPerMs = own.minimumRps > 0 ? own.minimumRps / 1000 : 5 / (own.threshold * 1000);
  return new CircuitBreaker({
    rule: new KeptHistoryRule(
      new RatioRule(
        new DriftingWindow(windowMs / 1000, slices, false),
        windowMs * minimumPerMs,
        (failures, total) => failures > own.threshold * total,
      ),
    ),
    openTime: constantOpenTime(own.halfOpenAfter),
    halfOpens: "at",
    probes: 1,
    judge: allMustSucceed(1),
    probeTimeoutSeconds: own.probeTimeout,
    late: "ownState",
  });
}

/** Linkerd's classes of answers: 429 is none of the failures that it counts, and a 500 of the application is. */
function serverErrorsFail(call: PolicyCall, verdict: AttemptVerdict): Evidence {
  if (call.status === 0) return plainEvidence(call, verdict);
  return call.status >= 500 ? "failure" : "success";
}

/** @throws {RangeError} when the first of two options is above the second. */
function mustNotExceed(policy: string, low: readonly [string, number], high: readonly [string, number]): void {
  if (low[1] <= high[1]) return;
  throw new RangeError(
    `Cannot use policy '${policy}' as '${low[0]}' must be at most '${high[0]}' (${high[1]}): current value is ${low[1]}`,
  );
}
