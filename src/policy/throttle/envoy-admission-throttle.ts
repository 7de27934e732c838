/** Envoy's admission control filter. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import type { Throttle } from "../parts.ts";
import type { AttemptVerdict, PolicyCall, Random } from "../policy.ts";
import { power } from "../power.ts";
import { answeredBelow500 } from "./acceptance.ts";
import { SampleWindow } from "./sample-window.ts";

/** The options' defaults and bounds; percentages of the source are ratios here. */
export const envoyAdmissionOptions = {
  window: {
    default: 30,
    kind: "integer",
    min: 1,
    max: 604_800,
    unit: "seconds",
    doc: "How far back requests and successes are counted (sampling_window)",
  },
  srThreshold: {
    default: 0.95,
    kind: "number",
    min: 0.01,
    max: 1,
    unit: "ratio",
    doc: "Success rate below which rejection begins",
  },
  aggression: {
    default: 1,
    kind: "number",
    min: 1,
    max: 1000,
    unit: "ratio",
    doc: "The probability is raised to the power of 1 / aggression; more rejects earlier",
  },
  rpsThreshold: {
    default: 0,
    kind: "integer",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    unit: "perSecond",
    doc: "Nothing is rejected while the window's average rate is below this",
  },
  maxRejectionProbability: {
    default: 0.8,
    kind: "number",
    min: 0,
    max: 1,
    unit: "ratio",
    doc: "Largest probability of a rejection",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link EnvoyAdmissionThrottle}. What is missing or `undefined` has its default. */
export type EnvoyAdmissionOptions = { readonly [Name in keyof typeof envoyAdmissionOptions]?: number | undefined };

/** Probabilities are compared in steps of this many. */
const STEPS = 10_000;

/**
 * With n responses and s successes in the window, t the threshold, each attempt is rejected with
 *
 *     p = min(maxRejectionProbability, max(0, (n - s / t) / (n + 1)) ^ (1 / aggression))
 *
 * in steps of 1e-4. Rejections are not counted: they would keep p from returning to 0 once all is well again. The average
 * rate that `rpsThreshold` is held against is that of the whole window, also before a window has passed. The source takes
 * the power before it clamps: with a success rate above the threshold that is NaN, which is above no random number, so that
 * all pass, as here.
 *
 * The constants are the source's: 95 %, since fewer requests cure no ordinary error rate; 80 %, so that one in five always
 * finds out. It stands in a proxy, for each worker thread; here each user has one.
 *
 * About 0.9 KB, and 20 bytes for each second of the window beyond the first 8, whatever the rate.
 *
 * Source: envoyproxy/envoy source/extensions/filters/http/admission_control/{admission_control,thread_local_controller}.cc.
 */
export class EnvoyAdmissionThrottle implements Throttle {
  private readonly random: Random;
  private readonly options: { readonly [Name in keyof typeof envoyAdmissionOptions]: number };
  private readonly counts: SampleWindow;

  /**
   * @param random one number per {@link admit} that the rate does not let pass.
   * @throws {RangeError} when an option is out of its bounds.
   */
  constructor(random: Random, options: EnvoyAdmissionOptions = {}) {
    this.random = random;
    this.options = resolveOptions("create EnvoyAdmissionThrottle", envoyAdmissionOptions, options);
    this.counts = new SampleWindow(this.options.window);
  }

  admit(nowSeconds: number): boolean {
    if (this.isBelowRate(nowSeconds)) return true;
    this.counts.moveTo(nowSeconds);
    return !(STEPS * this.probability() > Math.floor(STEPS * this.random.random()));
  }

  settle(call: PolicyCall, _verdict: AttemptVerdict, nowSeconds: number): void {
    this.counts.record(answeredBelow500(call), nowSeconds);
  }

  abandon(): void {}

  rejectProbability(nowSeconds: number): number {
    if (this.isBelowRate(nowSeconds)) return 0;
    this.counts.moveTo(nowSeconds);
    return this.probability();
  }

  private isBelowRate(nowSeconds: number): boolean {
    const { rpsThreshold } = this.options;
    return rpsThreshold > 0 && this.counts.averagePerSecond(nowSeconds) < rpsThreshold;
  }

  private probability(): number {
    const { srThreshold, aggression, maxRejectionProbability } = this.options;
    const { requests, successes } = this.counts;
    const probability = (requests - successes / srThreshold) / (requests + 1);
    if (!(probability > 0)) return 0;
    return Math.min(aggression === 1 ? probability : power(probability, 1 / aggression), maxRejectionProbability);
  }
}
