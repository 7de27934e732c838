/**
 * The `fifo` server model: w workers with a constant service time s, so a capacity of w / s, and one queue, first come, first
 * served. There is no admission control but the queue's length: work whose client has given up is done in full, and its
 * answer goes nowhere, which is what makes retries after time-outs keep a backend overloaded (metastable failure).
 *
 * A change of the capacity holds for the work that starts while it lasts. In an outage everything that arrives is rejected.
 */

import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler } from "../../engine/ports.ts";
import type { FifoModelSpec } from "../../engine/trial-spec.ts";
import type { Timeline } from "../../plan/timeline.ts";
import { ACCEPTED, AnsweringServer, REJECTED } from "./answering.ts";

/** As service times are known, a job's start and end are known when it arrives: the queue is kept as starting times. */
export class FifoServer extends AnsweringServer {
  readonly #model: FifoModelSpec;
  readonly #timeline: Timeline;
  readonly #startSeconds: number;
  /** When each worker has done all that it was given. */
  readonly #freeSeconds: Float64Array;
  /** Starting times of the jobs that wait, in order; those before `#head` have started. */
  #starts: number[] = [];
  #head = 0;

  constructor(model: FifoModelSpec, timeline: Timeline, startSeconds: number, scheduler: Scheduler, sink: AttemptSink) {
    super(scheduler, sink);
    this.#model = model;
    this.#timeline = timeline;
    this.#startSeconds = startSeconds;
    this.#freeSeconds = new Float64Array(model.workers);
  }

  send(call: Call): void {
    const now = this.scheduler.now();
    const { latencySeconds, queueMax = Number.POSITIVE_INFINITY } = this.#model;
    const free = this.#firstFree();
    const start = Math.max(now, this.#freeSeconds[free] as number);
    if (this.#factorAt(now) === 0 || (start > now && this.#waiting(now) >= queueMax)) {
      this.answerAt(now + latencySeconds, call, REJECTED);
      return;
    }
    const end = start + this.#serviceSeconds(start);
    this.#freeSeconds[free] = end;
    if (start > now) this.#starts.push(start);
    this.answerAt(end + latencySeconds, call, ACCEPTED);
  }

  #firstFree(): number {
    let first = 0;
    for (let worker = 1; worker < this.#freeSeconds.length; worker += 1) {
      if ((this.#freeSeconds[worker] as number) < (this.#freeSeconds[first] as number)) first = worker;
    }
    return first;
  }

  #waiting(now: number): number {
    while (this.#head < this.#starts.length && (this.#starts[this.#head] as number) <= now) this.#head += 1;
    if (this.#head > 1024 && 2 * this.#head > this.#starts.length) {
      this.#starts = this.#starts.slice(this.#head);
      this.#head = 0;
    }
    return this.#starts.length - this.#head;
  }

  /** What starts within an outage was taken before it, and is done at the usual speed. */
  #serviceSeconds(start: number): number {
    const factor = this.#factorAt(start);
    const serviceSeconds = this.#model.serviceSeconds as number;
    return factor === 0 ? serviceSeconds : serviceSeconds / factor;
  }

  #factorAt(seconds: number): number {
    return this.#timeline.at(seconds - this.#startSeconds).capacityFactor;
  }
}
