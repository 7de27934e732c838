/** The client-side rate limiter of the AWS SDKs: a token bucket whose rate follows CUBIC. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import type { Pacer } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { cubeRoot } from "./cube-root.ts";
import { ForwardTime } from "./forward-time.ts";

/** The options' defaults and bounds. */
export const cubicPacerOptions = {
  beta: {
    default: 0.7,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "What a throttled answer leaves of the rate",
  },
  scaleConstant: {
    default: 0.4,
    kind: "number",
    min: 0.001,
    max: 1e6,
    unit: "ratio",
    doc: "Steepness of the cubic growth",
  },
  smoothing: {
    default: 0.8,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "Share of the newest half second in the measured rate",
  },
  minRate: {
    default: 0.5,
    kind: "number",
    min: 0.001,
    max: Number.POSITIVE_INFINITY,
    unit: "perSecond",
    doc: "Smallest rate",
  },
  throttlingOn503: {
    default: 1,
    kind: "integer",
    min: 0,
    max: 1,
    unit: "count",
    doc: "1 takes a 503 as throttled, as EC2 and S3 mean it; 0 as a passing fault, which does not slow the client",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link CubicPacer}. */
export type CubicPacerOptions = { readonly [Name in keyof typeof cubicPacerOptions]?: number | undefined };

/** The rate is measured over half seconds of the clock. */
const BUCKETS_PER_SECOND = 2;
const MAX_RATE_SCALE = 2;
const STARTING_RATE = 1;
const MIN_CAPACITY = 1;

/** A token that is short by less has only been rounded away. */
const ROUNDING = 1e-9;
/** So that time moves on between two questions, also on a clock whose readings are large. */
const SHORTEST_WAIT_SECONDS = 1e-6;

/**
 * ```text
 * before an attempt, once any was throttled: take one token; wait (1 - tokens) / fill when it is short
 * each answer:   count + 1; when floor(2t) / 2 has moved on from last:
 *                measured = smoothing x count / (floor(2t) / 2 - last) + (1 - smoothing) x measured; count = 0
 * throttled:     wMax = measured, or min(measured, fill) once a rate is set;  lastThrottle = t
 *                k = cbrt(wMax x (1 - beta) / scaleConstant);  rate = beta x wMax
 * other answers: rate = scaleConstant x (t - lastThrottle - k)^3 + wMax
 * then:          refill at the old rate;  fill = max(min(rate, 2 x measured), minRate)
 *                capacity = max(min(rate, 2 x measured), 1);  tokens = min(tokens, capacity)
 * ```
 * The rate is wMax again k seconds after the last throttled answer, flat around there, and then grows ever faster; twice the
 * measured rate bounds it. Until the first throttled answer nothing waits.
 *
 * **No guard of one cut for each round trip**: every throttled answer multiplies by beta, and sets wMax to what the one before
 * it had left. 15 of them at 100 per second leave the minimum of 0.5 per second, and 100 is forgotten.
 *
 * The rate that is measured is of answers, and an answer is throttled when its status is 429 or, by the option, 503: the SDKs
 * go by error codes in the body (`TooManyRequestsException`, `RequestLimitExceeded`, `SlowDown`, ...), which are not seen
 * here. Time-outs and broken connections are passing faults, which let the rate grow.
 *
 * Waiting attempts are woken when a token is due and contend for it, as the threads of the source do: n of them ask n times
 * for each token.
 *
 * About 300 bytes. Source: boto/botocore `retries/adaptive.py`, `retries/throttling.py`, `retries/bucket.py` (smithy's
 * `DefaultRateLimiter` starts at 0.5 per second instead of 1, and lets all that wait go at once); CUBIC is RFC 9438.
 */
export class CubicPacer implements Pacer {
  private readonly time: ForwardTime;
  private readonly beta: number;
  private readonly scaleConstant: number;
  private readonly smoothing: number;
  private readonly minRate: number;
  private readonly throttlingOn503: boolean;

  private enabled = false;
  private wMax = 0;
  private k = 0;
  private lastThrottleSeconds: number;

  private answers = 0;
  private bucketSeconds: number;
  private measuredRate = 0;

  private fill: number;
  private capacity: number = MIN_CAPACITY;
  private tokens = 0;
  private refilledSeconds: number;

  /**
   * @param startSeconds the present reading of the clock.
   * @throws {RangeError} when an option is out of its bounds.
   */
  constructor(startSeconds: number, options: CubicPacerOptions = {}) {
    const resolved = resolveOptions("create CubicPacer", cubicPacerOptions, options);
    this.beta = resolved.beta;
    this.scaleConstant = resolved.scaleConstant;
    this.smoothing = resolved.smoothing;
    this.minRate = resolved.minRate;
    this.throttlingOn503 = resolved.throttlingOn503 === 1;
    this.time = new ForwardTime(startSeconds);
    const start = this.time.at(startSeconds);
    this.lastThrottleSeconds = start;
    this.bucketSeconds = Math.floor(start);
    this.refilledSeconds = start;
    this.fill = Math.max(STARTING_RATE, this.minRate);
  }

  /** Tokens per second; nothing waits for them before {@link isEnabled}. */
  get fillRate(): number {
    return this.fill;
  }

  /** Whether an answer was throttled yet. */
  get isEnabled(): boolean {
    return this.enabled;
  }

  acquire(nowSeconds: number): number {
    if (!this.enabled) return 0;
    this.refill(this.time.at(nowSeconds));
    const short = 1 - this.tokens;
    if (short > ROUNDING) return Math.max(SHORTEST_WAIT_SECONDS, short / this.fill);
    this.tokens = Math.max(0, this.tokens - 1);
    return 0;
  }

  settle(call: PolicyCall, _verdict: AttemptVerdict, nowSeconds: number): void {
    const time = this.time.at(nowSeconds);
    this.measure(time);
    const isThrottled = call.status === 429 || (call.status === 503 && this.throttlingOn503);
    const rate = isThrottled ? this.cut(time) : this.grow(time);
    this.setRate(Math.min(rate, MAX_RATE_SCALE * this.measuredRate), time);
  }

  private measure(time: number): void {
    this.answers += 1;
    const bucket = Math.floor(time * BUCKETS_PER_SECOND) / BUCKETS_PER_SECOND;
    if (bucket <= this.bucketSeconds) return;
    const rate = this.answers / (bucket - this.bucketSeconds);
    this.measuredRate = rate * this.smoothing + this.measuredRate * (1 - this.smoothing);
    this.answers = 0;
    this.bucketSeconds = bucket;
  }

  private cut(time: number): number {
    this.wMax = this.enabled ? Math.min(this.measuredRate, this.fill) : this.measuredRate;
    this.k = cubeRoot((this.wMax * (1 - this.beta)) / this.scaleConstant);
    this.lastThrottleSeconds = time;
    this.enabled = true;
    return this.wMax * this.beta;
  }

  private grow(time: number): number {
    const from = time - this.lastThrottleSeconds - this.k;
    return this.scaleConstant * (from * from * from) + this.wMax;
  }

  private setRate(rate: number, time: number): void {
    this.refill(time);
    this.fill = Math.max(rate, this.minRate);
    this.capacity = Math.max(rate, MIN_CAPACITY);
    this.tokens = Math.min(this.tokens, this.capacity);
  }

  private refill(time: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + (time - this.refilledSeconds) * this.fill);
    this.refilledSeconds = time;
  }
}
