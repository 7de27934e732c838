/**
 * The `fifo` server model: w workers with a constant service time s, so a capacity of w / s, and one queue, first come, first
 * served. There is no admission control but the queue's length: work whose client has given up is done in full, and its
 * answer goes nowhere, which is what makes retries after time-outs keep a backend overloaded (metastable failure).
 * A random service time is an option beyond the closed forms.
 *
 * A change of the capacity holds for the work that starts while it lasts, and a ramp's factor of that moment for all of it. In an
 * outage everything that arrives is rejected. One that may be cold is a {@link ColdFifoServer}.
 */

import type { FifoModelSpec } from "../../engine/trial-spec.ts";
import type { Random } from "../../policy/policy.ts";
import { AnsweringServer, type BackendPorts } from "./answering.ts";
import { type Durations, durationsOf } from "./durations.ts";
import type { PendingAttempt } from "./pending-attempt.ts";
import { TimeHeap } from "./time-heap.ts";

/** As a service time is known when the job arrives, so are its start and its end: the queue is kept as starting times. */
export class FifoServer extends AnsweringServer {
  readonly #queueMax: number;
  readonly #service: Durations;
  /** When each worker has done all that it was given. */
  readonly #free: TimeHeap = new TimeHeap();
  /** Starting times of the jobs that wait, where their number matters. */
  readonly #starts: TimeHeap = new TimeHeap();

  /** @param random draws the service times, if they are random. */
  constructor(model: FifoModelSpec, random: Random, ports: BackendPorts) {
    super(ports, model.latencySeconds);
    this.#queueMax = model.queueMax ?? Number.POSITIVE_INFINITY;
    this.#service = durationsOf(model.serviceSeconds, random);
    for (let worker = 0; worker < model.workers; worker += 1) this.#free.push(Number.NEGATIVE_INFINITY);
  }

  serve(attempt: PendingAttempt): number {
    const now = this.scheduler.now();
    const start = Math.max(now, this.#free.first);
    if (this.stateAt(now).capacityFactor === 0 || !this.#hasRoom(now, start)) return this.reject(attempt, now);
    const end = start + this.#serviceSeconds(start);
    this.#free.replaceFirst(end);
    return this.accept(attempt, end);
  }

  /** Takes a place in the queue for a job that has to wait. */
  #hasRoom(now: number, start: number): boolean {
    if (start === now || this.#queueMax === Number.POSITIVE_INFINITY) return true;
    this.#starts.dropUntil(now);
    if (this.#starts.size >= this.#queueMax) return false;
    this.#starts.push(start);
    return true;
  }

  /** What starts within an outage was taken before it, and is done at the usual speed. */
  #serviceSeconds(start: number): number {
    const seconds = this.#service.next();
    const { capacityFactor } = this.stateAt(start);
    return capacityFactor === 0 ? seconds : seconds / capacityFactor;
  }
}
