/** Adaptive throttling as one engine: the equation, and the choices in which its implementations differ. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { overloadClientOptions } from "../overload-client.ts";
import type { Throttle } from "../parts.ts";
import type { AttemptVerdict, PolicyCall, Random } from "../policy.ts";
import { power } from "../power.ts";
import { SecondWindow } from "../second-window.ts";
import { type AcceptRule, acceptedByVerdict } from "./acceptance.ts";

/** Values of the option `countAt`. */
export const COUNT_AT_ATTEMPT = 0;
export const COUNT_AT_COMPLETION = 1;
export const COUNT_LESS_IN_FLIGHT = 2;

/** The options' defaults and bounds; the defaults are the throttle of {@link OverloadClient}. */
export const windowThrottleOptions = {
  k: overloadClientOptions.k,
  window: overloadClientOptions.window,
  bucket: {
    default: 1,
    kind: "number",
    min: 0.001,
    max: 604_800,
    unit: "seconds",
    doc: "Length of a bucket of the window, at most the window itself",
  },
  countLocal: {
    default: 1,
    kind: "integer",
    min: 0,
    max: 1,
    unit: "count",
    doc: "1 counts what is rejected locally as a request, 0 only what is sent",
  },
  countAt: {
    default: COUNT_AT_ATTEMPT,
    kind: "integer",
    min: COUNT_AT_ATTEMPT,
    max: COUNT_LESS_IN_FLIGHT,
    unit: "count",
    doc: "When what is sent becomes a request: 0 when attempted, 1 when completed, 2 when attempted, less what is in flight",
  },
  minRequests: {
    default: 0,
    kind: "integer",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Nothing is rejected while the window has fewer requests than this",
  },
  protection: {
    default: 0,
    kind: "number",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "count",
    doc: "Requests that the numerator leaves out",
  },
  maxReject: {
    default: 1,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "Largest probability of a rejection",
  },
  forcePass: {
    default: 0,
    kind: "number",
    min: 0,
    max: 604_800,
    unit: "seconds",
    doc: "While rejecting, one attempt passes when the last one did longer ago than this; 0 never",
  },
  aggression: {
    default: 1,
    kind: "number",
    min: 1,
    max: 1000,
    unit: "ratio",
    doc: "The probability is raised to the power of 1 / aggression; more rejects earlier",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link WindowThrottle}. What is missing or `undefined` has its default. */
export type WindowThrottleOptions = {
  readonly [Name in keyof typeof windowThrottleOptions]?: number | undefined;
};

/** What sets an implementation apart beside its numbers. */
export interface WindowThrottleTraits {
  /** Default {@link acceptedByVerdict}. */
  readonly isAccepted?: AcceptRule | undefined;
  /** The requests allowed for A accepts are K A / this. Default 1; sources that are given a success rate divide by it. */
  readonly divisor?: number | undefined;
  /** Where the bucket limits lie: at multiples of the bucket on the clock, or counted from the first request. */
  readonly grid?: "clock" | "first-request" | undefined;
  /** Whether old buckets leave at every look, or only when something is counted. */
  readonly expiry?: "read" | "record" | undefined;
  /** Whether a number equal to the probability rejects. Default false. */
  readonly inclusive?: boolean | undefined;
}

const REQUESTS = 0;
const ACCEPTS = 1;
/** Requests that were taken back; only with {@link COUNT_LESS_IN_FLIGHT}. */
const WITHDRAWN = 2;

/** As in {@link SecondWindow} with its longest window. */
const MOST_BUCKETS = 604_800;
/** A first request this far away is of another time line: the clock was set since. */
const FAR_BUCKETS = 2 ** 40;
/** A window that is a whole number of buckets but for rounding has that number. */
const ROUNDING = 1e-9;

/**
 * Rejects with probability p before it counts the attempt, with R requests and A accepts in the window:
 *
 *     p = min(maxReject, max(0, (R - protection - K A) / (R + 1)) ^ (1 / aggression)),   0 while R < minRequests
 *
 * The equation is that of "Handling Overload" (Site Reliability Engineering, Google/O'Reilly 2016, chapter 21); + 1 keeps p
 * below 1, so that a client that hears nothing goes on asking. What R means makes different controllers of it:
 *
 * - `countLocal` 1: what it rejects counts. Under overload K times the accepts are sent, whatever is offered; after a long
 *   outage only one attempt per window gets through. 0: sqrt(K x offered x accepts) are sent, and it re-opens in seconds;
 * - `countAt` 0: R runs ahead of A by what is in flight, so that a cold client with overlapping calls throttles itself
 *   against a healthy backend. 1 and 2: it does not.
 *
 * An accept counts in the bucket in which its answer arrives. One number is drawn per attempt, also when p is 0.
 * `protection`, `minRequests` and `maxReject` are guards of go-zero, kratos and Envoy; `forcePass` is go-zero's, and as there
 * an attempt that passed while p was above 0 starts its time.
 *
 * An attempt that is given up leaves no trace, but with `countAt` 0 it stays a request, as in OverloadClient.
 *
 * About 0.6 KB, plus 2 to 12 bytes a bucket, whatever the rate. A clock that steps back is survived as
 * {@link SecondWindow} says.
 */
export class WindowThrottle implements Throttle {
  private readonly random: Random;
  private readonly k: number;
  private readonly divisor: number;
  private readonly bucketSeconds: number;
  private readonly countsLocal: boolean;
  private readonly countAt: number;
  private readonly minRequests: number;
  private readonly protection: number;
  private readonly maxReject: number;
  private readonly forcePassSeconds: number;
  private readonly exponent: number;
  private readonly isAccepted: AcceptRule;
  private readonly expiresOnRead: boolean;
  private readonly inclusive: boolean;
  private readonly countsFromFirst: boolean;
  private readonly counts: SecondWindow;
  /** Where bucket 0 begins; `NaN` until the first request. */
  private originSeconds: number;
  private inFlight = 0;
  /** When an attempt last passed while p was above 0; `NaN`: never. */
  private lastPassSeconds = Number.NaN;

  /**
   * @param random one number per {@link admit}.
   * @throws {RangeError} when an option is out of its bounds, or the bucket does not go with the window.
   */
  constructor(random: Random, options: WindowThrottleOptions = {}, traits: WindowThrottleTraits = {}) {
    const action = "create WindowThrottle";
    const resolved = resolveOptions(action, windowThrottleOptions, options);
    const buckets = Math.ceil(resolved.window / resolved.bucket - ROUNDING);
    if (resolved.bucket > resolved.window || buckets > MOST_BUCKETS) {
      throw new RangeError(
        `Cannot ${action} as 'bucket' must be at most the window, and at least a ${MOST_BUCKETS}th of it: current value is ${resolved.bucket}`,
      );
    }
    this.random = random;
    this.k = resolved.k;
    this.divisor = traits.divisor ?? 1;
    this.bucketSeconds = resolved.bucket;
    this.countsLocal = resolved.countLocal === 1;
    this.countAt = resolved.countAt;
    this.minRequests = resolved.minRequests;
    this.protection = resolved.protection;
    this.maxReject = resolved.maxReject;
    this.forcePassSeconds = resolved.forcePass;
    this.exponent = 1 / resolved.aggression;
    this.isAccepted = traits.isAccepted ?? acceptedByVerdict;
    this.expiresOnRead = traits.expiry !== "record";
    this.inclusive = traits.inclusive ?? false;
    this.countsFromFirst = traits.grid === "first-request";
    this.originSeconds = this.countsFromFirst ? Number.NaN : 0;
    this.counts = new SecondWindow(this.countAt === COUNT_LESS_IN_FLIGHT ? 3 : 2, buckets);
  }

  admit(nowSeconds: number): boolean {
    const probability = this.rejectProbability(nowSeconds);
    const passes = this.passes(probability, this.random.random(), nowSeconds);
    if (passes ? this.countAt !== COUNT_AT_COMPLETION : this.countsLocal) this.count(REQUESTS, nowSeconds);
    if (passes && this.countAt === COUNT_LESS_IN_FLIGHT) this.inFlight++;
    return passes;
  }

  settle(call: PolicyCall, verdict: AttemptVerdict, nowSeconds: number): void {
    if (this.countAt === COUNT_AT_COMPLETION) this.count(REQUESTS, nowSeconds);
    else this.land();
    if (this.isAccepted(call, verdict)) this.count(ACCEPTS, nowSeconds);
  }

  abandon(_call: PolicyCall, nowSeconds: number): void {
    if (this.countAt !== COUNT_LESS_IN_FLIGHT) return;
    this.land();
    this.count(WITHDRAWN, nowSeconds);
  }

  rejectProbability(nowSeconds: number): number {
    if (this.expiresOnRead) this.moveTo(nowSeconds);
    const requests = this.requests();
    if (requests < this.minRequests) return 0;
    const allowed = (this.k * this.counts.total(ACCEPTS)) / this.divisor;
    const probability = (requests - this.protection - allowed) / (requests + 1);
    if (!(probability > 0)) return 0;
    const shaped = this.exponent === 1 ? probability : power(probability, this.exponent);
    return Math.min(shaped, this.maxReject);
  }

  private requests(): number {
    const counted = this.counts.total(REQUESTS);
    if (this.countAt !== COUNT_LESS_IN_FLIGHT) return counted;
    return Math.max(0, counted - this.counts.total(WITHDRAWN) - this.inFlight);
  }

  private passes(probability: number, drawn: number, nowSeconds: number): boolean {
    if (probability === 0) return true;
    const isLucky = this.inclusive ? drawn > probability : drawn >= probability;
    if (this.forcePassSeconds === 0) return isLucky;
    if (nowSeconds < this.lastPassSeconds) this.lastPassSeconds = nowSeconds;
    const passes = isLucky || nowSeconds - this.lastPassSeconds > this.forcePassSeconds;
    if (passes) this.lastPassSeconds = nowSeconds;
    return passes;
  }

  private count(kind: number, nowSeconds: number): void {
    this.moveTo(nowSeconds);
    this.counts.add(kind);
  }

  private moveTo(nowSeconds: number): void {
    let bucket = (nowSeconds - this.originSeconds) / this.bucketSeconds;
    if (this.countsFromFirst && !(Math.abs(bucket) < FAR_BUCKETS) && Number.isFinite(nowSeconds)) {
      this.originSeconds = nowSeconds;
      bucket = 0;
    }
    this.counts.moveTo(bucket);
  }

  private land(): void {
    if (this.inFlight > 0) this.inFlight--;
  }
}
