/** A virtual target on a bench: attempts sent at given times, and what became of each. */

import { Call } from "../../src/engine/call.ts";
import type { AttemptSink, Task, Transport } from "../../src/engine/ports.ts";
import type { VirtualWorldSpec } from "../../src/engine/trial-spec.ts";
import { naturalLog } from "../../src/plan/natural-log.ts";
import { stream } from "../../src/plan/streams.ts";
import { EventQueue } from "../../src/world/virtual/event-queue.ts";
import { createServer } from "../../src/world/virtual/model.ts";

/** The measured window begins at once, unless the bench is told otherwise. */
export class ServerBench implements AttemptSink {
  readonly events: EventQueue = new EventQueue();
  readonly answers: { readonly id: number; readonly atSeconds: number; readonly status: number }[] = [];
  readonly headers: (readonly string[] | undefined)[] = [];
  readonly server: Transport;
  readonly calls: Call[] = [];

  constructor(world: Omit<VirtualWorldSpec, "kind">, startSeconds = 0) {
    this.server = createServer({ kind: "virtual", ...world }, startSeconds, { seed: 1 }, this.events, this);
  }

  /** Sends one attempt at each of the times, as the user of its place in the list. */
  sendAt(times: readonly number[]): this {
    for (const [id, seconds] of times.entries()) {
      const call = new Call();
      call.user = id;
      this.calls.push(call);
      const run = (): void => {
        call.handedSeconds = this.events.now();
        this.server.send(call);
      };
      this.events.at(seconds, { run });
    }
    return this;
  }

  /** The client of an attempt gives up. */
  cancelAt(id: number, seconds: number): this {
    this.events.at(seconds, { run: () => this.server.cancel(this.calls[id] as Call) });
    return this;
  }

  /** Lets it all end. */
  end(): this {
    this.events.run(Number.POSITIVE_INFINITY, () => false);
    return this;
  }

  attemptEnded(call: Call): void {
    this.answers.push({ id: call.user, atSeconds: this.events.now(), status: call.status });
    this.headers.push(call.answerHeaders);
  }

  /** [user, when, status] of the answers as they came. */
  get rows(): (readonly [number, number, number])[] {
    return this.answers.map(({ id, atSeconds, status }) => [id, atSeconds, status]);
  }

  get statuses(): number[] {
    return this.answers.map(({ status }) => status);
  }
}

/** Times of a Poisson process, the same ones each time. */
export function poissonTimes(perSecond: number, count: number): number[] {
  const random = stream(1, "arrivals");
  let seconds = 0;
  return Array.from({ length: count }, () => {
    seconds -= naturalLog(1 - random.random()) / perSecond;
    return seconds;
  });
}

/** What a Poisson load made of a target. */
export interface PoissonOutcome {
  readonly accepted: number;
  readonly rejected: number;
  /** From the first arrival on, to the last one. */
  readonly seconds: number;
  /** From sending to the answer. */
  readonly meanSeconds: number;
}

/** Sends `count` attempts of users who neither wait nor retry, each of the next user, and lets it all end. */
export function poissonLoad(world: Omit<VirtualWorldSpec, "kind">, perSecond: number, count: number): PoissonOutcome {
  const events = new EventQueue();
  const free: Call[] = [];
  let [accepted, rejected, sumSeconds, sent, seconds] = [0, 0, 0, 0, 0];
  const server = createServer({ kind: "virtual", ...world }, 0, { seed: 1 }, events, {
    attemptEnded(call) {
      sumSeconds += events.now() - call.handedSeconds;
      if (call.status === 200) accepted += 1;
      else rejected += 1;
      free.push(call);
    },
  });
  const random = stream(1, "arrivals");
  const arrival: Task = {
    run() {
      const call = free.pop() ?? new Call();
      call.user = sent;
      call.handedSeconds = events.now();
      sent += 1;
      seconds = events.now();
      if (sent < count) events.at(events.now() - naturalLog(1 - random.random()) / perSecond, arrival);
      server.send(call);
    },
  };
  events.at(0, arrival);
  events.run(Number.POSITIVE_INFINITY, () => false);
  return { accepted, rejected, seconds, meanSeconds: sumSeconds / count };
}
