/** Limiters of what is under way at once, and of the rate. */

import { FullJitterBackoff } from "../backoff/full-jitter-backoff.ts";
import { AwsRetryQuota, awsRetryQuotaOptions } from "../budget/aws-retry-quota.ts";
import { delayOption } from "../budget/delay-option.ts";
import { ComposedPolicy } from "../composed-policy.ts";
import { floorAtStart } from "../lint/policy-traits.ts";
import { maxAttemptsOption, type NumberSpec, resolveOptions } from "../option.ts";
import type { Evidence, EvidenceRule } from "../parts.ts";
import type { AttemptVerdict, PolicyCall, PolicyFactory, Random } from "../policy.ts";
import type { PolicyPreset, PresetOptions } from "../preset.ts";
import { AimdLimit, aimdLimitOptions } from "./aimd-limit.ts";
import { CubicPacer, cubicPacerOptions } from "./cubic-pacer.ts";
import { DialogueLimit, dialogueHostEvidence, dialogueHostHeaders } from "./dialogue-limit.ts";
import { EnvoyGradientLimiter, envoyGradientOptions } from "./envoy-gradient-limiter.ts";
import { GradientLimit, gradientLimitOptions } from "./gradient-limit.ts";
import { Gradient2Limit, gradient2LimitOptions } from "./gradient2-limit.ts";
import type { Limit } from "./limit.ts";
import { RateLimitPacer, rateLimitHeaders, rateLimitPacerOptions } from "./rate-limit-pacer.ts";
import { SlotLimiter } from "./slot-limiter.ts";
import { VegasLimit, vegasLimitOptions } from "./vegas-limit.ts";
import { WindowedLimit, windowedLimitOptions } from "./windowed-limit.ts";

/** For a limit that is made only to see whether its options go together: they are to fail now, not at a user's first call. */
const NO_CHANCE: Random = { random: () => 0 };

/** A limiter knows no retries. */
const retries = { maxAttempts: { ...maxAttemptsOption, default: 1 } } as const satisfies Record<string, NumberSpec>;

const windows = {
  windowed: {
    default: 0,
    kind: "integer",
    min: 0,
    max: 1,
    unit: "count",
    doc: "1 moves the limit once for each window (WindowedLimit), 0 with each attempt",
  },
  ...windowedLimitOptions,
} as const satisfies Record<string, NumberSpec>;

const NETFLIX = "Netflix/concurrency-limits concurrency-limits-core limit";

/** The rate's and those of the standard mode. */
const awsAdaptiveOptions = {
  ...cubicPacerOptions,
  ...awsRetryQuotaOptions,
  maxAttempts: maxAttemptsOption,
  baseBackoff: delayOption(1, "Bound of the first backoff"),
  maxBackoff: delayOption(20, "Bound of all backoffs"),
} as const satisfies Record<string, NumberSpec>;

export const limiterPresets: readonly PolicyPreset[] = [
  {
    name: "aimd",
    family: "limiter",
    summary: "Netflix' AIMD concurrency limit: one more for each success near the limit, a tenth less for each drop",
    use: "On the client side, where a refusal or a time-out is the sign of overload (what Netflix advises for clients)",
    fails:
      "Blind to a queue until attempts time out; with the default minLimit a client of fewer than 20 at once is never limited",
    equation: "drop or rtt > timeout: floor(backoffRatio x limit); else 2 x inFlight >= limit: limit + 1",
    source: `${NETFLIX}/AIMDLimit.java`,
    options: { ...aimdLimitOptions, ...windows, ...retries },
    create: (options) => limiting(options, () => windowed(new AimdLimit(options), options)),
  },
  {
    name: "dialogue",
    family: "limiter",
    summary:
      "palantir/dialogue's host limiter: an AIMD that grows by about one for each round trip, from 1 to a million",
    use: "Services that call each other with dialogue; a limit that is meant to settle rather than to double",
    fails: "Ignores 429 and 500; a burst of drops leaves it near 1, from where each further place takes a round trip",
    equation: "drop: max(1, floor(0.9 x limit)); else inFlight >= floor(0.9 x limit): limit + 1 / limit",
    source: "palantir/dialogue dialogue-core CautiousIncreaseAggressiveDecreaseConcurrencyLimiter.java, HOST_LEVEL",
    options: retries,
    readsHeaders: dialogueHostHeaders,
    create: (options) => limiting(options, () => new DialogueLimit(), dialogueHostEvidence),
  },
  {
    name: "aws-adaptive",
    family: "limiter",
    summary:
      "The AWS SDKs' adaptive mode: a token bucket whose rate follows CUBIC, with the retry quota of the standard mode",
    use: "Batch clients of one throttled AWS resource; opt-in in the AWS SDKs, and the only rate controller that widely used clients carry",
    fails:
      "Every throttled answer of a burst cuts the rate again, so 15 of them leave the minimum; a client of several resources is slowed by one",
    equation:
      "throttled: wMax = rate, rate x beta, k = cbrt(wMax (1 - beta) / C); else rate = C (t - tThrottle - k)^3 + wMax, at most 2 x measured",
    source: "boto/botocore botocore/retries/adaptive.py, throttling.py, bucket.py, standard.py",
    options: awsAdaptiveOptions,
    traits: (own) => ({ floor: floorAtStart(own, "capacity", own.retryCost as number) }),
    create: awsAdaptive,
  },
  {
    name: "vegas",
    family: "limiter",
    summary: "Netflix' Vegas limit: grows while little of the limit seems to stand in a queue, shrinks when much does",
    use: "On the server side, or for a client that is the only load of its backend",
    fails: "A fast refusal becomes its no-load time: the drop is not counted, and served attempts then look queued",
    equation:
      "queue = limit x (1 - rttNoLoad / rtt); <= L: + 6 L; < 3 L: + L; > 6 L or drop: - L; L = max(1, floor(log10 limit))",
    source: `${NETFLIX}/VegasLimit.java, after Brakmo and Peterson, TCP Vegas (1995)`,
    options: { ...vegasLimitOptions, ...windows, ...retries },
    traits: () => ({ learnsLatency: true }),
    create: (options) => limiting(options, (random) => windowed(new VegasLimit(random, options), options)),
  },
  {
    name: "gradient",
    family: "limiter",
    summary:
      "Netflix' first gradient limit: by the least round-trip time over the present one, with a queue of sqrt(limit)",
    use: "As vegas; superseded by gradient2, whose base is an average",
    fails: "A drop cuts by 2 % only; one outlier of a fast answer holds the limit down until the next probe",
    equation: "limit x clamp(2 x rttLeast / rtt, 0.5, 1) + max(4, sqrt(limit)); smoothed by 0.2 when it falls",
    source: `${NETFLIX}/GradientLimit.java`,
    options: { ...gradientLimitOptions, ...windows, ...retries },
    traits: () => ({ learnsLatency: true }),
    create: (options) => limiting(options, (random) => windowed(new GradientLimit(random, options), options)),
  },
  {
    name: "gradient2",
    family: "limiter",
    summary: "Netflix' second gradient limit: by the usual round-trip time over the present one",
    use: "On the server side, for latencies that vary (Netflix' recommendation, with windows)",
    fails:
      "Ignores drops: fast refusals raise it to its maximum; the usual time follows a lasting queue, and the limit with it",
    equation: "0.8 x limit + 0.2 x (limit x clamp(1.5 x rttLong / rtt, 0.5, 1) + 4)",
    source: `${NETFLIX}/Gradient2Limit.java`,
    options: { ...gradient2LimitOptions, ...windows, ...retries },
    traits: () => ({ learnsLatency: true }),
    create: (options) => limiting(options, () => windowed(new Gradient2Limit(options), options)),
  },
  {
    name: "envoy-gradient",
    family: "limiter",
    summary: "Envoy's adaptive concurrency: by a least latency that is measured with the limit pinned to 3",
    use: "In a sidecar in front of one service; here as the limiter of a client",
    fails: "Refuses most of the load during each measurement; takes fast refusals for short latencies and grows",
    equation: "each window: g = clamp(1.25 x minRTT / sampleRTT, 0.5, 2); limit = floor(limit x g + sqrt(limit x g))",
    source: "envoyproxy/envoy source/extensions/filters/http/adaptive_concurrency/controller/gradient_controller.cc",
    options: { ...envoyGradientOptions, ...retries },
    traits: () => ({ learnsLatency: true }),
    create: envoyGradient,
  },
  {
    name: "ratelimit-headers",
    family: "limiter",
    summary:
      "Paces by the RateLimit fields of the answers: what remains of a quota is spread over the time that it must last",
    use: "Clients of an API with published quotas that sends the RateLimit fields of the IETF draft",
    fails: "Does nothing without the fields; a large quota that resets rarely makes a busy client slow from the start",
    equation: "next = lastSent + (resetAt - lastSent) / (remaining + 1); nothing before Retry-After is over",
    source: "ietf-wg-httpapi/ratelimit-headers draft-ietf-httpapi-ratelimit-headers.md, Client Behavior",
    options: { ...rateLimitPacerOptions, ...retries },
    readsHeaders: rateLimitHeaders,
    create: rateLimitHeadersPolicy,
  },
];

/** Overload is a drop; another fault says nothing of the load, as in Netflix' gRPC client interceptor. */
function dropEvidence(_call: PolicyCall, verdict: AttemptVerdict): Evidence {
  if (verdict === "failed") return "ignored";
  return verdict === "accepted" ? "success" : "failure";
}

function limiting(
  options: PresetOptions,
  makeLimit: (random: Random) => Limit,
  evidence: EvidenceRule = dropEvidence,
): PolicyFactory {
  const { maxAttempts } = resolveOptions("create a limiter", retries, options);
  makeLimit(NO_CHANCE);
  return (clock, random, jitter) =>
    new ComposedPolicy(clock, jitter, { limiter: new SlotLimiter(makeLimit(random)), maxAttempts, evidence });
}

function windowed(limit: Limit, options: PresetOptions): Limit {
  return options.windowed === 1 ? new WindowedLimit(limit, options) : limit;
}

function envoyGradient(options: PresetOptions): PolicyFactory {
  const { maxAttempts } = resolveOptions("create envoy-gradient", retries, options);
  const make = (start: number, random: Random) => new EnvoyGradientLimiter(start, random, options);
  make(0, NO_CHANCE);
  return (clock, random, jitter) =>
    new ComposedPolicy(clock, jitter, { limiter: make(clock.now(), random), maxAttempts });
}

function awsAdaptive(options: PresetOptions): PolicyFactory {
  const { baseBackoff, maxBackoff, maxAttempts } = resolveOptions("create aws-adaptive", awsAdaptiveOptions, options);
  const backoff = new FullJitterBackoff({ base: baseBackoff, cap: maxBackoff });
  return (clock, _random, jitter) =>
    new ComposedPolicy(clock, jitter, {
      pacer: new CubicPacer(clock.now(), options),
      budget: new AwsRetryQuota(options),
      backoff,
      maxAttempts,
    });
}

function rateLimitHeadersPolicy(options: PresetOptions): PolicyFactory {
  const { maxAttempts } = resolveOptions("create ratelimit-headers", retries, options);
  return (clock, _random, jitter) =>
    new ComposedPolicy(clock, jitter, { pacer: new RateLimitPacer(clock.now(), options), maxAttempts });
}
