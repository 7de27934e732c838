/**
 * How the calls that were started kept to their plan: the gaps between them, in units of what the plan's rate makes
 * expected. On that axis of cumulative rate a plan of any rate profile is one of rate 1, and a Poisson process stays one
 * (the time-rescaling theorem: E. N. Brown et al., "The time-rescaling theorem and its application to neural spike train data
 * analysis", Neural Computation 14, 2002), so steady, staged and sine rates are held to the same law.
 *
 * Memory is constant in the number of calls.
 */

import { highestRps, rateProfile } from "../plan/load-rate.ts";
import { createPlan, type PlanSpec } from "../plan/plan.ts";
import type { RateProfile } from "../plan/rate-profile.ts";
import { constantRate } from "../plan/rate-profile.ts";
import type { TrialResult } from "../result/schema.ts";
import { BinnedDistribution, tolerantDistance } from "../stats/binned-distribution.ts";
import { erlangBelow } from "../stats/erlang.ts";
import { RunningMoments } from "../stats/running-moments.ts";
import { GAP_SCORE } from "./validity/limits.ts";

export type Gaps = NonNullable<NonNullable<TrialResult["generator"]>["gaps"]>;

/**
 * The shortest stretch of time over which gaps are looked at. Below it no generator, kernel or network keeps them: sending a
 * call takes 20 to 60 us, so that of Poisson arrivals at 1,000/s the shortest 3 % come out longer than planned.
 */
const RESOLUTION_SECONDS = 0.001;
/** Gaps longer than this many mean ones are only counted: of exponential ones 3 in 10,000 are. */
const GAPS_MAX = 8;
const BINS_PER_GAP = 128;
/** Gaps that differ by less than this, in mean gaps, count as the same: at the resolution, 0.25 ms. */
const TOLERANCE = 0.25;

/** Follows the calls of one worker, in the order of the plan. */
export class GapFit {
  readonly #profile: RateProfile;
  readonly #startSeconds: number;
  readonly #calls: number;
  readonly #gapsPerArrival: number;
  readonly #isPoisson: boolean;
  readonly #sent = new RunningMoments();
  readonly #planned = new RunningMoments();
  readonly #difference = new RunningMoments();
  readonly #sentGaps = new BinnedDistribution(BINS_PER_GAP, GAPS_MAX);
  readonly #plannedGaps = new BinnedDistribution(BINS_PER_GAP, GAPS_MAX);
  /** Where on the axis of mean gaps the last gap ended, as planned and as sent, and how many calls ago. */
  #lastPlanned = 0;
  #lastSent = 0;
  /** Calls until the present gap is complete; negative while there is no beginning. */
  #left = -1;

  /** @param shard of `shards`, as {@link Plan.arrivals} splits the plan. */
  constructor(plan: PlanSpec, shard: number, shards: number) {
    const share = Math.ceil((plan.users - shard) / shards) / plan.users;
    const { profile, peakRps } = rateOf(plan);
    this.#profile = profile;
    this.#startSeconds = plan.warmupSeconds;
    this.#calls = Math.max(1, Math.ceil(share * peakRps * RESOLUTION_SECONDS));
    this.#gapsPerArrival = share / this.#calls;
    this.#isPoisson = plan.arrival.law === "poisson";
  }

  /** A call of the measured window was started. */
  started(intendedSeconds: number, nowSeconds: number): void {
    if (this.#left > 1) {
      this.#left -= 1;
      return;
    }
    const planned = this.#profile.arrivalsBefore(intendedSeconds - this.#startSeconds) * this.#gapsPerArrival;
    const sent = this.#profile.arrivalsBefore(nowSeconds - this.#startSeconds) * this.#gapsPerArrival;
    if (this.#left === 1) this.#add(planned - this.#lastPlanned, sent - this.#lastSent);
    this.#lastPlanned = planned;
    this.#lastSent = sent;
    this.#left = this.#calls;
  }

  /** A call was given up, so that no gap can be told over it. */
  skipped(): void {
    this.#left = -1;
  }

  result(): Gaps {
    const count = this.#sent.count;
    return {
      count,
      calls: this.#calls,
      cv: this.#sent.variation,
      plannedCv: this.#planned.variation,
      jitter: this.#difference.standardDeviation,
      distance: tolerantDistance(this.#sentGaps.shares(), this.#plannedGaps.shares(), TOLERANCE * BINS_PER_GAP),
      ...(this.#isPoisson ? { law: this.#lawFit(count) } : {}),
    };
  }

  #add(planned: number, sent: number): void {
    this.#planned.add(planned);
    this.#sent.add(sent);
    this.#difference.add(sent - planned);
    this.#plannedGaps.add(planned);
    this.#sentGaps.add(sent);
  }

  /** A gap over k calls of a Poisson process is an Erlang one of k stages; with its mean as the unit, x stands for k x. */
  #lawFit(count: number): NonNullable<Gaps["law"]> {
    const distance = this.#sentGaps.distanceFrom((gap) => erlangBelow(gap * this.#calls, this.#calls));
    return { distance, score: distance * Math.sqrt(count) };
  }
}

/**
 * The share of the gaps that came out wrong: from the law where there is one, as far as it is significant; else from the plan.
 *
 * @returns 0 where a distance from the law may be chance.
 */
export function misfit({ law, distance }: Gaps): number {
  if (law === undefined) return distance;
  return law.score > GAP_SCORE ? law.distance : 0;
}

/** Of several workers, the gaps of the one that kept them worst: bunching must not hide among the others. */
export function worstGaps(parts: readonly Gaps[]): Gaps | undefined {
  return parts.reduce<Gaps | undefined>(
    (worst, gaps) => (worst === undefined || misfit(gaps) > misfit(worst) ? gaps : worst),
    undefined,
  );
}

/** A recording has no rate but its own mean: its gaps are told in mean ones. */
function rateOf(plan: PlanSpec): { readonly profile: RateProfile; readonly peakRps: number } {
  const { arrival, durationSeconds } = plan;
  if (arrival.law === "replay") {
    const meanRps = Math.max(1, createPlan(plan).expectedMeasured) / durationSeconds;
    return { profile: constantRate(meanRps, durationSeconds), peakRps: meanRps };
  }
  const peak = arrival.law === "bursty" ? arrival.peak : 1;
  return { profile: rateProfile(arrival.rate, durationSeconds), peakRps: peak * highestRps(arrival.rate) };
}
