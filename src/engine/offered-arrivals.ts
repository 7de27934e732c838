/** The arrivals of an open loop whose rate is moved while it runs. */

import { naturalLog } from "../plan/natural-log.ts";
import { stream } from "../plan/streams.ts";
import type { Random } from "../policy/policy.ts";
import type { CallSink } from "./call-source.ts";
import type { GovernedCalls } from "./governed-calls.ts";
import type { Scheduler, Task } from "./ports.ts";

/** The most that a plan may ask for, too. */
const RPS_MAX = 1_000_000;
/** A generator whose next call is later than this is asked for no more: see LATENESS_P99_MS in validity/limits.ts. */
const BEHIND_SECONDS = 0.05;

export interface OfferedLaw {
  /** `constant`: even gaps, users in turn. `poisson`: exponential gaps, users at random, from the streams of the plan. */
  readonly law: "constant" | "poisson";
  readonly seed: number;
  readonly users: number;
}

/**
 * Arrivals at the steps of the cumulative offer, the integral of the offer over time: at 0, 1, 2, ... where they are even, at
 * the steps of a Poisson process of rate 1 else. So an offer that changes moves the arrival that is due next as far as the rest
 * of its gap is worth: one that is doubled halves what is left to wait.
 */
export class OfferedArrivals implements GovernedCalls, Task {
  readonly #scheduler: Scheduler;
  readonly #users: number;
  /** Undefined where arrivals are even. */
  readonly #gaps: Random | undefined;
  readonly #owners: Random | undefined;
  #sink: CallSink | undefined;
  /** In force since `#fromSeconds`, at which the cumulative offer was `#reached`; what was in force before that. */
  #offer = 0;
  #before = 0;
  #fromSeconds = 0;
  #reached = 0;
  /** The cumulative offer at the next arrival, when that is, and how many there were before it. */
  #next: number;
  #dueSeconds: number = Number.POSITIVE_INFINITY;
  #count = 0;

  constructor({ law, seed, users }: OfferedLaw, scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#users = users;
    this.#gaps = law === "poisson" ? stream(seed, "arrivals") : undefined;
    this.#owners = law === "poisson" ? stream(seed, "users") : undefined;
    this.#next = this.#gaps === undefined ? 0 : exponential(this.#gaps);
  }

  get offer(): number {
    return this.#offer;
  }

  start(sink: CallSink): void {
    this.#sink = sink;
  }

  /** @throws Error when it is raised beyond what this generator can do. */
  setOffer(offer: number, nowSeconds: number): void {
    if (offer > this.#offer) this.#checkRaise(offer, nowSeconds);
    this.#reached += this.#offer * (nowSeconds - this.#fromSeconds);
    this.#fromSeconds = nowSeconds;
    this.#before = this.#offer;
    this.#offer = offer;
    this.#expect();
  }

  /** Arrivals do not mind what becomes of calls. */
  callEnded(): void {}

  run(): void {
    const sink = this.#sink as CallSink;
    // An entry for the time at which this arrival, or one before it, was due until the offer changed.
    if (!sink.arriving || this.#dueSeconds > this.#scheduler.now()) return;
    const intendedSeconds = this.#dueSeconds;
    const user =
      this.#owners === undefined ? this.#count % this.#users : Math.floor(this.#owners.random() * this.#users);
    this.#count += 1;
    this.#next = this.#gaps === undefined ? this.#count : this.#next + exponential(this.#gaps);
    this.#expect();
    sink.arrive(user, intendedSeconds);
  }

  #expect(): void {
    const rate = this.#next < this.#reached ? this.#before : this.#offer;
    this.#dueSeconds = this.#fromSeconds + (this.#next - this.#reached) / rate;
    this.#scheduler.at(this.#dueSeconds, this, "exact");
  }

  #checkRaise(offer: number, nowSeconds: number): void {
    if (offer > RPS_MAX) throw new Error(`it is more than ${RPS_MAX}`);
    const behindSeconds = nowSeconds - this.#dueSeconds;
    if (behindSeconds <= BEHIND_SECONDS) return;
    throw new Error(`this generator is ${Math.round(1000 * behindSeconds)} ms behind with its calls`);
  }
}

/** Mean 1, by inversion, see {@link walkArrivals}. */
function exponential(random: Random): number {
  return -naturalLog(1 - random.random());
}
