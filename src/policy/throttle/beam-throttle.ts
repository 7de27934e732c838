/** Apache Beam's throttle, which delays instead of rejecting. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import { overloadClientOptions } from "../overload-client.ts";
import type { Pacer } from "../parts.ts";
import type { AttemptVerdict, PolicyCall, Random } from "../policy.ts";
import { rejectProbability } from "../reject-probability.ts";
import { SecondWindow } from "../second-window.ts";

/** The options' defaults and bounds: those of Beam's Datastore connector, and the delay of its ReactiveThrottler. */
export const beamOptions = {
  window: overloadClientOptions.window,
  bucket: {
    default: 1,
    kind: "number",
    min: 0.001,
    max: 604_800,
    unit: "seconds",
    doc: "Length of a bucket of the window, at most the window itself",
  },
  overloadRatio: { ...overloadClientOptions.k, default: 1.25, doc: "K: requests asked for per successful one" },
  throttleDelay: {
    default: 5,
    kind: "number",
    min: 0.001,
    max: 86_400,
    unit: "seconds",
    doc: "How long a throttled attempt waits before it asks again",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link BeamThrottle}. What is missing or `undefined` has its default. */
export type BeamOptions = { readonly [Name in keyof typeof beamOptions]?: number | undefined };

const REQUESTS = 0;
const SUCCESSES = 1;
/** As in {@link SecondWindow} with its longest window. */
const MOST_BUCKETS = 604_800;
/** No bucket yet: any time is far from it. The source counts from 1970, which is as far. */
const NEVER = -(2 ** 30);

/**
 * The equation of adaptive throttling with R the askings: an attempt that is throttled waits `throttleDelay` and asks again,
 * and each asking counts. p = max(0, (R - overloadRatio x successes) / (R + 1)) from the counts before it.
 *
 * Nothing is refused for good, and a call may wait without end. Beam's workers make one call at a time; with open arrivals
 * the calls that wait add up, and their askings raise R.
 *
 * About 0.5 KB, plus 2 to 8 bytes a bucket, whatever the rate. Buckets move on once time is beyond their end, and are
 * aligned anew after an idle window, as in the source. A clock set back by up to the window stands still, one set back
 * further is as {@link SecondWindow} says.
 *
 * Source: apache/beam sdks/python/apache_beam/io/components/adaptive_throttler.py and util.py (`MovingSum`); 120 s, 1 s and
 * 1.25 from its Datastore connector.
 */
export class BeamThrottle implements Pacer {
  private readonly random: Random;
  private readonly bucketSeconds: number;
  private readonly buckets: number;
  private readonly overloadRatio: number;
  private readonly delaySeconds: number;
  private readonly counts: SecondWindow;
  /** The number of the current bucket. */
  private bucket = NEVER;

  /**
   * @param random one number per {@link acquire}.
   * @throws {RangeError} when an option is out of its bounds, or the bucket does not go with the window.
   */
  constructor(random: Random, options: BeamOptions = {}) {
    const action = "create BeamThrottle";
    const { window, bucket, overloadRatio, throttleDelay } = resolveOptions(action, beamOptions, options);
    this.random = random;
    this.bucketSeconds = bucket;
    this.buckets = Math.ceil(window / bucket);
    if (bucket > window || this.buckets > MOST_BUCKETS) {
      throw new RangeError(
        `Cannot ${action} as 'bucket' must be at most the window, and at least a ${MOST_BUCKETS}th of it: current value is ${bucket}`,
      );
    }
    this.overloadRatio = overloadRatio;
    this.delaySeconds = throttleDelay;
    this.counts = new SecondWindow(2, this.buckets);
  }

  acquire(nowSeconds: number): number {
    this.moveTo(nowSeconds);
    const probability = this.probability();
    this.counts.add(REQUESTS);
    return this.random.random() < probability ? this.delaySeconds : 0;
  }

  settle(_call: PolicyCall, verdict: AttemptVerdict, nowSeconds: number): void {
    if (verdict !== "accepted") return;
    this.moveTo(nowSeconds);
    this.counts.add(SUCCESSES);
  }

  /** The probability with which the next asking would be delayed. */
  delayProbability(nowSeconds: number): number {
    this.moveTo(nowSeconds);
    return this.probability();
  }

  private probability(): number {
    return rejectProbability(this.counts.total(REQUESTS), this.counts.total(SUCCESSES), this.overloadRatio);
  }

  private moveTo(nowSeconds: number): void {
    const time = nowSeconds / this.bucketSeconds;
    if (!Number.isFinite(time)) return;
    if (time >= this.bucket + this.buckets || time < this.bucket - this.buckets) this.bucket = Math.floor(time);
    else if (time > this.bucket + 1) this.bucket = Math.ceil(time) - 1;
    this.counts.moveTo(this.bucket);
  }
}
