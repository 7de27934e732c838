/**
 * The `shed` server model: a server of sharp capacity that rejects what it cannot take, where a rejection costs work too.
 *
 * A bucket holds work tokens T <= b and refills at C per second. An arrival first refills it, then is accepted iff T >= 1
 * and takes 1; otherwise it is rejected and takes r. T has no lower bound, since a rejection is work of the same
 * processor: this is an M/D/1 server with room for b jobs. With offered load L and no client-side control,
 * accepted = (C - r L) / (1 - r), which reaches zero at L = C / r: goodput collapse.
 */

import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler, Task, Transport } from "../../engine/ports.ts";
import type { ShedModelSpec } from "../../engine/trial-spec.ts";

const ACCEPTED = 200;
const REJECTED = 503;

/** Answers at once, or after a constant latency; never times out by itself. */
export class ShedServer implements Transport {
  readonly #model: ShedModelSpec;
  readonly #scheduler: Scheduler;
  readonly #sink: AttemptSink;
  #tokens: number;
  #refilledSeconds = 0;

  constructor(model: ShedModelSpec, scheduler: Scheduler, sink: AttemptSink) {
    this.#model = model;
    this.#scheduler = scheduler;
    this.#sink = sink;
    this.#tokens = model.burst;
  }

  send(call: Call): void {
    call.startedSeconds = call.handedSeconds;
    const status = this.#arrive() ? ACCEPTED : REJECTED;
    if (this.#model.latencySeconds === 0) {
      call.status = status;
      this.#sink.attemptEnded(call);
      return;
    }
    const answer: Task = { run: () => this.#answer(call, answer, status) };
    call.lane = answer;
    this.#scheduler.at(call.handedSeconds + this.#model.latencySeconds, answer, "exact");
  }

  cancel(call: Call): void {
    call.lane = undefined;
  }

  #arrive(): boolean {
    const now = this.#scheduler.now();
    const { capacity, burst, rejectCost } = this.#model;
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#refilledSeconds) * capacity);
    this.#refilledSeconds = now;
    const accepted = this.#tokens >= 1;
    this.#tokens -= accepted ? 1 : rejectCost;
    return accepted;
  }

  #answer(call: Call, answer: Task, status: number): void {
    if (call.lane !== answer) return;
    call.lane = undefined;
    call.status = status;
    this.#sink.attemptEnded(call);
  }
}
