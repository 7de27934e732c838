/** The presets of the admission throttles. None waits before a retry or has a budget; by default none retries. */

import { ComposedPolicy } from "../composed-policy.ts";
import {
  capOf,
  kOf,
  kOfFailures,
  kOfSuccesses,
  type PolicyTraits,
  rateOf,
  volumeOf,
  windowOf,
} from "../lint/policy-traits.ts";
import { maxAttemptsOption, type NumberSpec } from "../option.ts";
import type { Throttle } from "../parts.ts";
import type { PolicyFactory, Random } from "../policy.ts";
import type { PolicyPreset, PresetOptions } from "../preset.ts";
import { answeredWithoutKratosFailure } from "./acceptance.ts";
import { BeamThrottle, beamOptions } from "./beam-throttle.ts";
import { EnvoyAdmissionThrottle, envoyAdmissionOptions } from "./envoy-admission-throttle.ts";
import { FinagleNackThrottle, finagleNackOptions } from "./finagle-nack-throttle.ts";
import { GoZeroThrottle, goZeroOptions } from "./go-zero-throttle.ts";
import { PerCriticality } from "./per-criticality.ts";
import { COUNT_AT_ATTEMPT, COUNT_AT_COMPLETION, WindowThrottle, windowThrottleOptions } from "./window-throttle.ts";

const SRE_BOOK = "Site Reliability Engineering (Google/O'Reilly 2016), chapter 21, Handling Overload";

const maxAttempts: NumberSpec = { ...maxAttemptsOption, default: 1 };
const { k, window } = windowThrottleOptions;

/** go-kratos names K by its inverse, and gives the number of buckets. */
const kratosOptions = {
  success: {
    default: 0.6,
    kind: "number",
    min: 0.01,
    max: 1,
    unit: "ratio",
    doc: "1 / K: share of successes below which rejection begins",
  },
  request: { ...windowThrottleOptions.minRequests, default: 100 },
  bucket: { default: 10, kind: "integer", min: 1, max: 10_000, unit: "count", doc: "Number of buckets of the window" },
  window: { ...window, default: 3 },
  maxAttempts,
} as const satisfies Record<string, NumberSpec>;

const failsafeGoOptions = {
  failureRateThreshold: {
    default: 0.1,
    kind: "number",
    min: 0,
    max: 0.99,
    unit: "ratio",
    doc: "Share of failures above which rejection begins; K is 1 / (1 - this)",
  },
  executionThreshold: windowThrottleOptions.minRequests,
  window: { ...window, default: 60, doc: "How far back executions are counted (thresholdingPeriod)" },
  maxRejectionRate: { ...windowThrottleOptions.maxReject, default: 0.9 },
  maxAttempts,
} as const satisfies Record<string, NumberSpec>;

/** The source has no option for it. */
const FAILSAFE_GO_BUCKETS = 20;

export const throttlePresets: readonly PolicyPreset[] = [
  {
    name: "sre-throttle",
    family: "throttle",
    summary: "The throttle of sre without its retry budget, and with every choice of the engine as an option",
    use: "To see what the throttle alone does, and what counting otherwise, a cap or a forced pass would change",
    fails:
      "As sre: slow to open after a long outage, unfair between clients; a cold client with calls in flight throttles itself",
    equation:
      "p = min(maxReject, max(0, (requests - protection - K accepts) / (requests + 1))^(1 / aggression)), 0 below minRequests",
    source: SRE_BOOK,
    options: { ...windowThrottleOptions, maxAttempts },
    traits: windowThrottleTraits,
    create: (options) => throttled((random) => new WindowThrottle(random, options), options),
  },
  {
    name: "sre-completion",
    family: "throttle",
    summary: "sre-throttle that counts an attempt once it is completed, and a local reject at once",
    use: "As sre-throttle for calls that overlap: rate x latency of a client above 1",
    fails: "As sre after a long outage; a burst that comes before its first answers is sent in full",
    equation: "p = max(0, (completed + rejected - K accepts) / (completed + rejected + 1))",
    source: `${SRE_BOOK}, with requests counted as go-kratos/aegis and zeromicro/go-zero do`,
    options: { k, window, maxAttempts },
    traits: (own) => ({
      window: windowOf(own, "window"),
      throttle: { k: kOf(own, "k"), countsAt: "completion", countsLocal: true },
    }),
    create: (options) =>
      throttled((random) => new WindowThrottle(random, { ...options, countAt: COUNT_AT_COMPLETION }), options),
  },
  {
    name: "sre-criticality",
    family: "throttle",
    summary: "sre-throttle with statistics of its own for each class of criticality",
    use: "With a backend that sheds its least important calls first",
    fails: "As sre, and sooner: each class has only its own calls to learn from, so a rare one learns late",
    equation: "p of each class = max(0, (requests - K accepts) / (requests + 1)) from the calls of that class",
    source: `${SRE_BOOK}, Criticality`,
    options: { k, window, maxAttempts },
    traits: (own) => ({
      window: windowOf(own, "window"),
      throttle: { k: kOf(own, "k"), countsAt: "attempt", countsLocal: true, isPerCriticality: true },
    }),
    create: (options) => throttled((random) => new PerCriticality(() => new WindowThrottle(random, options)), options),
  },
  {
    name: "envoy-admission",
    family: "throttle",
    summary: "Envoy's admission control filter: local rejects not counted, rejection capped at 80 percent",
    use: "In a sidecar or gateway, in front of backends that clients cannot be trusted to spare",
    fails:
      "Throttles from 5 percent of 5xx, whatever their cause; sends at least a fifth of any load; takes a 429 for a success",
    equation: "p = min(0.8, max(0, (n - s / 0.95) / (n + 1))^(1 / aggression)) with n answers, s below 500, in 30 s",
    source: "envoyproxy/envoy source/extensions/filters/http/admission_control/admission_control.cc",
    options: { ...envoyAdmissionOptions, maxAttempts },
    traits: (own) => ({
      window: windowOf(own, "window"),
      volume: rateOf(own, "rpsThreshold", own.window as number),
      throttle: {
        k: kOfSuccesses(own, "srThreshold"),
        countsAt: "completion",
        countsLocal: false,
        cap: capOf(own, "maxRejectionProbability"),
      },
    }),
    create: (options) => throttled((random) => new EnvoyAdmissionThrottle(random, options), options),
  },
  {
    name: "finagle-nack",
    family: "throttle",
    summary: "Finagle's NACK admission filter: a moving average over time of the responses that are no NACK",
    use: "On by default in Finagle's clients of HTTP, Mux and PostgreSQL",
    fails:
      "Sends a quarter of any load for ever; blind to time-outs and to clients below 5 calls a second; forgets with time, not with calls",
    equation: "p = min(0.75, 1 - e / 0.5) if e < 0.5, with e = v (1 - w) + e w, w = exp(-dt / 120 s), v = 0 for a NACK",
    source: "twitter/finagle finagle-core/src/main/scala/com/twitter/finagle/filter/NackAdmissionFilter.scala",
    options: { ...finagleNackOptions, maxAttempts },
    traits: (own) => ({
      window: windowOf(own, "window"),
      volume: rateOf(own, "rpsThreshold", 1),
      throttle: {
        k: kOfFailures(own, "nackRateThreshold"),
        countsAt: "completion",
        countsLocal: false,
        cap: capOf(own, "maxDropProbability"),
      },
    }),
    create: (options) => throttled((random) => new FinagleNackThrottle(random, options), options),
  },
  {
    name: "go-zero",
    family: "throttle",
    summary: "go-zero's breaker: local rejects counted, K falls while buckets fail, one forced pass a second",
    use: "On by default in the clients of go-zero services",
    fails:
      "Starves, down to one attempt a second, a backend that fails more than a third of its calls for other reasons than load",
    equation:
      "p = (total - 5 - w accepts) / (total + 1) x (40 - working) / 40, w = max(1.1, 1.5 - 0.4 failing / 40), 10 s in 40 buckets",
    source: "zeromicro/go-zero core/breaker/googlebreaker.go",
    options: { ...goZeroOptions, maxAttempts },
    traits: (own) => ({
      window: windowOf(own, "window"),
      volume: volumeOf(own, "protection", own.window),
      throttle: {
        k: kOf(own, "k"),
        countsAt: "completion",
        countsLocal: true,
        forcesPasses: true,
      },
    }),
    create: (options) => throttled((random) => new GoZeroThrottle(random, options), options),
  },
  {
    name: "kratos",
    family: "throttle",
    summary: "The breaker of kratos clients: three seconds, local rejects counted, nothing below 100 requests",
    use: "As the circuit breaker middleware of go-kratos clients",
    fails: "Does nothing below 34 calls a second and client; takes a 429 and a 502 for successes",
    equation: "p = max(0, (total - accepts / 0.6) / (total + 1)) in 3 s, 0 while total < 100",
    source:
      "go-kratos/aegis circuitbreaker/sre/sre.go, go-kratos/kratos (v2) middleware/circuitbreaker/circuitbreaker.go",
    options: kratosOptions,
    traits: (own) => ({
      window: windowOf(own, "window"),
      volume: volumeOf(own, "request", own.window),
      throttle: { k: kOfSuccesses(own, "success"), countsAt: "completion", countsLocal: true },
    }),
    create: (options) => throttled((random) => kratosThrottle(random, options as KratosValues), options),
  },
  {
    name: "failsafe-go-throttle",
    family: "throttle",
    summary: "failsafe-go's adaptive throttler: local rejects not counted, old buckets leave only at a record",
    use: "As a policy around calls in Go services",
    fails: "Latches with a maxRejectionRate of 1: nothing is sent, so nothing is recorded and nothing is forgotten",
    equation: "p = min(0.9, max(0, executions - successes / 0.9) / (executions + 1)) in 60 s of 20 buckets",
    source: "failsafe-go/failsafe-go adaptivethrottler/adaptivethrottler.go, internal/util/windows.go",
    options: failsafeGoOptions,
    traits: (own) => ({
      window: windowOf(own, "window"),
      volume: volumeOf(own, "executionThreshold", own.window),
      throttle: {
        k: kOfFailures(own, "failureRateThreshold"),
        countsAt: "completion",
        countsLocal: false,
        cap: capOf(own, "maxRejectionRate"),
        forgetsAtRecord: true,
      },
    }),
    create: (options) => throttled((random) => failsafeGoThrottle(random, options as FailsafeGoValues), options),
  },
  {
    name: "beam",
    family: "throttle",
    summary: "Apache Beam's throttler: what it throttles waits 5 s and asks again, and each asking counts",
    use: "In pipelines, whose work can wait and must not be lost",
    fails: "Calls that wait add up for as long as the overload lasts, and their askings keep it closed after its end",
    equation: "p = max(0, (askings - 1.25 successes) / (askings + 1)) in 120 s",
    source: "apache/beam sdks/python/apache_beam/io/components/adaptive_throttler.py",
    options: { ...beamOptions, maxAttempts },
    traits: (own) => ({
      window: windowOf(own, "window"),
      throttle: { k: kOf(own, "overloadRatio"), countsAt: "attempt", countsLocal: true },
    }),
    create: (options) => (clock, random, jitter) =>
      new ComposedPolicy(clock, jitter, {
        pacer: new BeamThrottle(random, options),
        maxAttempts: options.maxAttempts as number,
      }),
  },
];

type Values<Specs> = { readonly [Name in keyof Specs]: number };
type KratosValues = Values<typeof kratosOptions>;
type FailsafeGoValues = Values<typeof failsafeGoOptions>;

/** Nothing is rejected below `minRequests`, nor up to `protection`. */
function windowThrottleTraits(own: PresetOptions): PolicyTraits {
  const { protection, minRequests, countAt, countLocal, forcePass } = own as Values<typeof windowThrottleOptions>;
  return {
    window: windowOf(own, "window"),
    volume: volumeOf(own, protection > minRequests ? "protection" : "minRequests", own.window),
    throttle: {
      k: kOf(own, "k"),
      countsAt: countAt === COUNT_AT_ATTEMPT ? "attempt" : "completion",
      countsLocal: countLocal === 1,
      cap: capOf(own, "maxReject"),
      forcesPasses: forcePass > 0,
    },
  };
}

function kratosThrottle(random: Random, options: KratosValues): Throttle {
  return new WindowThrottle(
    random,
    {
      k: 1 / options.success,
      window: options.window,
      bucket: options.window / options.bucket,
      countAt: COUNT_AT_COMPLETION,
      minRequests: options.request,
    },
    { isAccepted: answeredWithoutKratosFailure, grid: "first-request" },
  );
}

function failsafeGoThrottle(random: Random, options: FailsafeGoValues): Throttle {
  return new WindowThrottle(
    random,
    {
      k: 1,
      window: options.window,
      bucket: options.window / FAILSAFE_GO_BUCKETS,
      countLocal: 0,
      countAt: COUNT_AT_COMPLETION,
      minRequests: options.executionThreshold,
      maxReject: options.maxRejectionRate,
    },
    { divisor: 1 - options.failureRateThreshold, expiry: "record", inclusive: true },
  );
}

function throttled(make: (random: Random) => Throttle, options: { readonly maxAttempts?: number }): PolicyFactory {
  const attempts = options.maxAttempts ?? maxAttempts.default;
  return (clock, random, jitter) =>
    new ComposedPolicy(clock, jitter, { throttle: make(random), maxAttempts: attempts });
}
