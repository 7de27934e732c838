/**
 * The `shed` server model: a server of sharp capacity that rejects what it cannot take, where a rejection costs work too.
 *
 * A bucket holds work tokens T <= b and refills at C per second. An arrival first refills it, then is accepted iff T >= 1
 * and takes 1; otherwise it is rejected and takes r. T has no lower bound, since a rejection is work of the same
 * processor: this is an M/D/1 server with room for b jobs. With offered load L and no client-side control,
 * accepted = (C - r L) / (1 - r), which reaches zero at L = C / r: goodput collapse. Exponential work, of mean 1, is an
 * option: near the capacity b then counts as (b + 1) / 2, see test/validation/README.md.
 *
 * When the capacity changes, the bucket is refilled at the old rate first; in a ramp it is refilled by the integral of the rate,
 * which for a linear one is its mean of both ends times the time. An outage rejects everything at no cost; at its end the
 * bucket is full. Where the server may be cold, an accepted call takes {@link Warmth} times its work; it counts as done.
 */

import type { ShedModelSpec } from "../../engine/trial-spec.ts";
import { type CapacityRamp, rampFactor } from "../../plan/capacity-ramp.ts";
import { Warmth } from "../../plan/warmth.ts";
import type { Random } from "../../policy/policy.ts";
import { AnsweringServer, type BackendPorts } from "./answering.ts";
import { type Durations, durationsOf } from "./durations.ts";
import type { PendingAttempt } from "./pending-attempt.ts";

export class ShedServer extends AnsweringServer {
  readonly #model: ShedModelSpec;
  /** Undefined: always 1. */
  readonly #work: Durations | undefined;
  /** Undefined: always warm. */
  readonly #warmth: Warmth | undefined;
  /** Which of the timeline's changes comes next. */
  #nextChange = 0;
  #capacity: number;
  #ramp: CapacityRamp | undefined;
  #tokens: number;
  #refilledSeconds = 0;

  /** @param random draws the work, if it is random. */
  constructor(model: ShedModelSpec, random: Random, ports: BackendPorts) {
    super(ports, model.latencySeconds, model.retryAfterSeconds);
    this.#model = model;
    this.#work = model.work === "exponential" ? durationsOf({ law: "exponential", meanSeconds: 1 }, random) : undefined;
    this.#warmth = model.cold === undefined ? undefined : new Warmth(model.cold);
    this.#capacity = model.capacity;
    this.#tokens = model.burst;
  }

  serve(attempt: PendingAttempt): number {
    const now = this.scheduler.now();
    return this.#accepts(attempt, now) ? this.accept(attempt, now) : this.reject(attempt, now);
  }

  #accepts({ criticality }: PendingAttempt, now: number): boolean {
    const { times } = this.timeline;
    while ((times[this.#nextChange] as number) <= now - this.startSeconds) {
      this.#change(times[this.#nextChange] as number);
      this.#nextChange += 1;
    }
    if (this.#capacity === 0) return false;
    this.#refill(now);
    const { burst, rejectCost, reserve = 0 } = this.#model;
    const accepted = this.#tokens >= 1 + criticality * reserve * (burst - 1);
    this.#tokens -= accepted ? this.#nextWork() : rejectCost;
    return accepted;
  }

  #nextWork(): number {
    const work = this.#work === undefined ? 1 : this.#work.next();
    if (this.#warmth === undefined) return work;
    const cost = this.costNow(this.#warmth);
    this.#warmth.worked();
    return work * cost;
  }

  #refill(seconds: number): void {
    const spanSeconds = seconds - this.#refilledSeconds;
    this.#tokens = Math.min(this.#model.burst, this.#tokens + spanSeconds * this.#meanCapacity(seconds));
    this.#refilledSeconds = seconds;
  }

  /** Since the last refill. */
  #meanCapacity(seconds: number): number {
    const ramp = this.#ramp;
    if (ramp === undefined) return this.#capacity;
    const before = rampFactor(ramp, this.#refilledSeconds - this.startSeconds);
    const now = rampFactor(ramp, seconds - this.startSeconds);
    return (this.#model.capacity * (before + now)) / 2;
  }

  /** @param seconds of the measured window. */
  #change(seconds: number): void {
    // A change may lie before the trial.
    this.#refill(Math.max(this.#refilledSeconds, this.startSeconds + seconds));
    if (this.#capacity === 0) this.#tokens = this.#model.burst;
    this.#capacity = this.#model.capacity * this.timeline.at(seconds).capacityFactor;
    this.#ramp = this.timeline.rampAt(seconds);
  }
}
