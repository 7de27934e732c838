/**
 * The `shed` server model: a server of sharp capacity that rejects what it cannot take, where a rejection costs work too.
 *
 * A bucket holds work tokens T <= b and refills at C per second. An arrival first refills it, then is accepted iff T >= 1
 * and takes 1; otherwise it is rejected and takes r. T has no lower bound, since a rejection is work of the same
 * processor: this is an M/D/1 server with room for b jobs. With offered load L and no client-side control,
 * accepted = (C - r L) / (1 - r), which reaches zero at L = C / r: goodput collapse.
 *
 * When the capacity changes, the bucket is refilled at the old rate first. An outage rejects everything at no cost; at its
 * end the bucket is full.
 */

import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler } from "../../engine/ports.ts";
import type { ShedModelSpec } from "../../engine/trial-spec.ts";
import type { Timeline } from "../../plan/timeline.ts";
import { ACCEPTED, AnsweringServer, REJECTED } from "./answering.ts";

export class ShedServer extends AnsweringServer {
  readonly #model: ShedModelSpec;
  readonly #rejectHeaders: readonly string[] | undefined;
  #capacity: number;
  #tokens: number;
  #refilledSeconds = 0;

  constructor(model: ShedModelSpec, timeline: Timeline, startSeconds: number, scheduler: Scheduler, sink: AttemptSink) {
    super(scheduler, sink);
    this.#model = model;
    this.#capacity = model.capacity;
    this.#tokens = model.burst;
    const { retryAfterSeconds } = model;
    if (retryAfterSeconds !== undefined) this.#rejectHeaders = ["retry-after", String(retryAfterSeconds)];
    for (const seconds of timeline.times) {
      const change = { run: () => this.#change(model.capacity * timeline.at(seconds).capacityFactor) };
      scheduler.at(startSeconds + seconds, change, "exact");
    }
  }

  send(call: Call): void {
    const atSeconds = call.handedSeconds + this.#model.latencySeconds;
    if (this.#accepts(call)) this.answerAt(atSeconds, call, ACCEPTED);
    else this.answerAt(atSeconds, call, REJECTED, this.#rejectHeaders);
  }

  #accepts(call: Call): boolean {
    if (this.#capacity === 0) return false;
    this.#refill();
    const { burst, reserve = 0 } = this.#model;
    const accepted = this.#tokens >= 1 + call.criticality * reserve * (burst - 1);
    this.#tokens -= accepted ? 1 : this.#model.rejectCost;
    return accepted;
  }

  #refill(): void {
    const now = this.scheduler.now();
    this.#tokens = Math.min(this.#model.burst, this.#tokens + (now - this.#refilledSeconds) * this.#capacity);
    this.#refilledSeconds = now;
  }

  #change(capacity: number): void {
    this.#refill();
    if (this.#capacity === 0) this.#tokens = this.#model.burst;
    this.#capacity = capacity;
  }
}
