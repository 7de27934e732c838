import type { Random } from "../policy/policy.ts";
import type { ArrivalCursor } from "./arrivals.ts";
import type { BurstyArrivalSpec } from "./load.ts";
import { naturalLog } from "./natural-log.ts";
import type { RateProfile } from "./rate-profile.ts";
import { stream } from "./streams.ts";

type Bursts = Omit<BurstyArrivalSpec, "rate">;

/** After so many relaxation times nothing is left (e^-64) of which state it was. */
const FORGOTTEN = 64;
/** 1 - share x peak misses 0 by less than this when share is 1 / peak up to rounding. */
const ROUNDING = 1e-15;

/**
 * What the rate is multiplied with between bursts, so that the mean stays as it is: (1 - share peak) / (1 - share).
 * In bursts it is `peak`.
 */
export function calmFactor({ peak, share }: Pick<Bursts, "peak" | "share">): number {
  const rest = 1 - share * peak;
  return rest < ROUNDING ? 0 : rest / (1 - share);
}

/**
 * The index of dispersion of counts (variance / mean) that windows much longer than a burst tend to; 1 for Poisson. With
 * the rates l1 in bursts and l2 between, their mean m, the share p and the mean burst b, the covariance of the rate t
 * seconds apart is (l1 - l2)^2 p (1 - p) e^(-t / r) with the relaxation time r = b (1 - p), so
 *
 *     1 + 2 (l1 - l2)^2 p (1 - p) r / m  =  1 + 2 m b p (peak - 1)^2
 *
 * (Heffes and Lucantoni, IEEE J. Sel. Areas Commun. 4(6), 1986; Fischer and Meier-Hellstern, "The Markov-modulated Poisson
 * process (MMPP) cookbook", Performance Evaluation 18(2), 1993). In windows of length t that are not so long, the excess
 * over 1 is less by the factor 1 - (1 - e^(-t / r)) r / t.
 *
 * @param meanRps m, in arrivals per second.
 */
export function indexOfDispersion(arrival: Bursts, meanRps: number): number {
  const { peak, share, burstSeconds } = arrival;
  return 1 + 2 * meanRps * burstSeconds * share * (peak - 1) * (peak - 1);
}

/**
 * A Markov-modulated Poisson process of two states. Bursts and the calm between them last exponential times of real time,
 * means `burstSeconds` and `burstSeconds` (1 - share) / share, from the stream "bursts", the first state with the
 * probabilities of the long run. Within a state arrivals are unit-exponential steps, from the stream "arrivals", along the
 * profile's cumulative rate times the state's factor: what is left of a step where a state ends goes on in the next one.
 * Users are uniform, from the stream "users".
 */
export class BurstyArrivals implements ArrivalCursor {
  timeSeconds = Number.NaN;
  user = -1;
  readonly #spec: Bursts;
  readonly #calmFactor: number;
  readonly #profile: RateProfile;
  readonly #users: number;
  readonly #gaps: Random;
  readonly #owners: Random;
  readonly #states: Random;
  #bursting: boolean;
  /** The profile's cumulative rate: so far, and where the state ends. */
  #cumulative = 0;
  #edge = 0;
  #edgeSeconds = 0;

  constructor(spec: Bursts, profile: RateProfile, users: number, seed: number, part: number) {
    this.#spec = spec;
    this.#calmFactor = calmFactor(spec);
    this.#profile = profile;
    this.#users = users;
    this.#gaps = stream(seed, "arrivals", part);
    this.#owners = stream(seed, "users", part);
    this.#states = stream(seed, "bursts", part);
    this.#bursting = this.#states.random() < spec.share;
    this.#stayFrom(0);
  }

  next(): boolean {
    let step = exponential(this.#gaps);
    for (;;) {
      const factor = this.#bursting ? this.#spec.peak : this.#calmFactor;
      const room = (this.#edge - this.#cumulative) * factor;
      if (step < room) {
        this.#cumulative = Math.min(this.#cumulative + step / factor, this.#edge);
        break;
      }
      step -= room;
      this.#cumulative = this.#edge;
      if (this.#edgeSeconds >= this.#profile.durationSeconds) return false;
      this.#enterNext();
    }
    const timeSeconds = this.#profile.timeAt(this.#cumulative);
    if (timeSeconds >= this.#profile.durationSeconds) return false;
    if (!(timeSeconds < this.timeSeconds)) this.timeSeconds = timeSeconds;
    this.user = Math.floor(this.#owners.random() * this.#users);
    return true;
  }

  /** Over a pause that is long enough to forget the state in, straight to its end: it may hold any number of bursts. */
  #enterNext(): void {
    const { share, burstSeconds } = this.#spec;
    const resumedSeconds = this.#profile.timeAt(this.#cumulative);
    if (resumedSeconds - this.#edgeSeconds > FORGOTTEN * burstSeconds * (1 - share)) {
      this.#bursting = this.#states.random() < share;
      this.#stayFrom(resumedSeconds);
    } else {
      this.#bursting = !this.#bursting;
      this.#stayFrom(this.#edgeSeconds);
    }
  }

  #stayFrom(seconds: number): void {
    const { share, burstSeconds } = this.#spec;
    const meanSeconds = this.#bursting ? burstSeconds : (burstSeconds * (1 - share)) / share;
    this.#edgeSeconds = Math.min(seconds + meanSeconds * exponential(this.#states), this.#profile.durationSeconds);
    this.#edge = Math.max(this.#cumulative, this.#profile.arrivalsBefore(this.#edgeSeconds));
  }
}

function exponential(random: Random): number {
  return -naturalLog(1 - random.random());
}
