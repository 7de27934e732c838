/**
 * The virtual world's transport: the network, the load balancer and the backends behind it. An attempt takes half of its round
 * trip to the balancer, which hands it on at once; the answer takes the other half from there. So attempts overtake each other.
 *
 * When a client gives up, the balancer sees it at once; the attempt goes on without it, to the end of its work.
 */

import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler, Transport } from "../../engine/ports.ts";
import { type AnswerSink, LATER, type Server } from "./answering.ts";
import type { Balancer } from "./balancer.ts";
import type { Durations } from "./durations.ts";
import { PendingAttempt } from "./pending-attempt.ts";

export class ModelTransport implements Transport, AnswerSink {
  readonly #network: Durations | undefined;
  readonly #balancer: Balancer;
  readonly #servers: readonly Server[];
  readonly #only: Server | undefined;
  readonly #scheduler: Scheduler;
  readonly #sink: AttemptSink;
  /** Records to use again, a list through themselves. */
  #free: PendingAttempt | undefined;
  readonly #due = (attempt: PendingAttempt): void => this.#step(attempt);

  /**
   * @param network round trips; undefined: they take no time, and an answer that is ready at once is there before `send` returns.
   * @param build makes the backends, whose answers come here.
   */
  constructor(
    network: Durations | undefined,
    balancer: Balancer,
    build: (sink: AnswerSink) => readonly Server[],
    scheduler: Scheduler,
    sink: AttemptSink,
  ) {
    this.#network = network;
    this.#balancer = balancer;
    this.#servers = build(this);
    this.#only = this.#servers.length === 1 ? this.#servers[0] : undefined;
    this.#scheduler = scheduler;
    this.#sink = sink;
  }

  send(call: Call): void {
    let attempt = this.#free;
    if (attempt === undefined) attempt = new PendingAttempt(this.#due);
    else this.#free = attempt.nextFree;
    attempt.call = call;
    attempt.user = call.user;
    attempt.criticality = call.criticality;
    call.startedSeconds = call.handedSeconds;
    if (this.#network === undefined) {
      const atSeconds = this.#handOn(attempt);
      if (atSeconds <= this.#scheduler.now()) {
        this.#deliver(attempt, call);
        return;
      }
      // Unless the server has told the sink already.
      if (attempt.call === call) call.lane = attempt;
      if (atSeconds !== LATER) this.#expect("returns", attempt, atSeconds);
      return;
    }
    call.lane = attempt;
    attempt.backSeconds = this.#network.next() / 2;
    attempt.stage = "arrives";
    this.#scheduler.at(this.#scheduler.now() + attempt.backSeconds, attempt, "exact");
  }

  /** The answer will go nowhere; the work, if there is any, is done all the same. O(1). */
  cancel(call: Call): void {
    const attempt = call.lane as PendingAttempt;
    call.lane = undefined;
    attempt.call = undefined;
    if (attempt.counted) this.#uncount(attempt);
  }

  answered(attempt: PendingAttempt, atSeconds: number): void {
    if (attempt.counted && attempt.backSeconds > 0) this.#expect("leaves", attempt, atSeconds);
    else this.#expect("returns", attempt, atSeconds + attempt.backSeconds);
  }

  /** @returns what the server returned. */
  #handOn(attempt: PendingAttempt): number {
    if (this.#only !== undefined) return this.#only.serve(attempt);
    const balancer = this.#balancer;
    attempt.backend = balancer.pick(attempt.user);
    if (balancer.counts && attempt.call !== undefined) {
      attempt.counted = true;
      balancer.handedOn(attempt.backend);
    }
    return (this.#servers[attempt.backend] as Server).serve(attempt);
  }

  #expect(stage: "leaves" | "returns", attempt: PendingAttempt, atSeconds: number): void {
    attempt.stage = stage;
    // Nobody waits for the answer of one that was given up.
    if (atSeconds <= this.#scheduler.now() || attempt.call === undefined) this.#step(attempt);
    else this.#scheduler.at(atSeconds, attempt, "exact");
  }

  #step(attempt: PendingAttempt): void {
    const { call, stage } = attempt;
    if (stage === "arrives") {
      const atSeconds = this.#handOn(attempt);
      if (atSeconds !== LATER) this.answered(attempt, atSeconds);
    } else if (call === undefined) {
      this.#release(attempt);
    } else if (stage === "returns") {
      call.lane = undefined;
      this.#deliver(attempt, call);
    } else {
      this.#uncount(attempt);
      this.#expect("returns", attempt, this.#scheduler.now() + attempt.backSeconds);
    }
  }

  #deliver(attempt: PendingAttempt, call: Call): void {
    if (attempt.counted) this.#uncount(attempt);
    call.status = attempt.status;
    call.answerHeaders = attempt.answerHeaders;
    // Before the sink is told: it may send again.
    this.#release(attempt);
    this.#sink.attemptEnded(call);
  }

  #release(attempt: PendingAttempt): void {
    attempt.call = undefined;
    attempt.nextFree = this.#free;
    this.#free = attempt;
  }

  #uncount(attempt: PendingAttempt): void {
    attempt.counted = false;
    this.#balancer.over(attempt.backend);
  }
}
