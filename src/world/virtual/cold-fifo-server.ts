/**
 * The `fifo` server model that may be cold: w workers and one queue as {@link FifoServer} has them, and a job takes
 * {@link Warmth} times its service time by the moment at which its work starts. A job whose client has given up by then is
 * done in full all the same, and warms nothing.
 *
 * When a job starts depends on how many clients gave up before it, so it is not known when the job arrives, as in a
 * {@link FifoServer}: this one goes event by event. A job that arrives in the very moment in which another ends may find it
 * still at work.
 */

import type { Task } from "../../engine/ports.ts";
import type { FifoModelSpec } from "../../engine/trial-spec.ts";
import { type ColdStart, Warmth } from "../../plan/warmth.ts";
import type { Random } from "../../policy/policy.ts";
import { AnsweringServer, type BackendPorts, LATER } from "./answering.ts";
import { AttemptLine } from "./attempt-line.ts";
import { type Durations, durationsOf } from "./durations.ts";
import type { PendingAttempt } from "./pending-attempt.ts";

/** O(1) per attempt beside its event, and no allocation once the queue is as long as its backlog. */
export class ColdFifoServer extends AnsweringServer {
  readonly #queueMax: number;
  readonly #service: Durations;
  readonly #warmth: Warmth;
  readonly #queue: AttemptLine = new AttemptLine();
  readonly #idle: Worker[];

  /** @param random draws the service times, if they are random. */
  constructor(model: FifoModelSpec, cold: ColdStart, random: Random, ports: BackendPorts) {
    super(ports, model.latencySeconds);
    this.#queueMax = model.queueMax ?? Number.POSITIVE_INFINITY;
    this.#service = durationsOf(model.serviceSeconds, random);
    this.#warmth = new Warmth(cold);
    const done = (worker: Worker): void => this.#done(worker);
    this.#idle = Array.from({ length: model.workers }, () => new Worker(done));
  }

  serve(attempt: PendingAttempt): number {
    const now = this.scheduler.now();
    if (this.stateAt(now).capacityFactor === 0) return this.reject(attempt, now);
    const worker = this.#idle.pop();
    if (worker !== undefined) this.#start(worker, attempt);
    else if (this.#queue.length < this.#queueMax) this.#queue.push(attempt);
    else return this.reject(attempt, now);
    return LATER;
  }

  #start(worker: Worker, attempt: PendingAttempt): void {
    const now = this.scheduler.now();
    const { capacityFactor } = this.stateAt(now);
    const usualSeconds = this.#service.next() * this.costNow(this.#warmth);
    worker.attempt = attempt;
    worker.isWaitedFor = attempt.call !== undefined;
    // What starts within an outage was taken before it, and is done at the usual speed.
    const seconds = capacityFactor === 0 ? usualSeconds : usualSeconds / capacityFactor;
    this.scheduler.at(now + seconds, worker, "exact");
  }

  #done(worker: Worker): void {
    const { attempt, isWaitedFor } = worker;
    worker.attempt = undefined;
    if (isWaitedFor) this.#warmth.worked();
    const next = this.#queue.shift();
    if (next === undefined) this.#idle.push(worker);
    else this.#start(worker, next);
    // Last: it may bring the next attempt at once.
    if (attempt !== undefined) this.answer(attempt, this.accept(attempt, this.scheduler.now()));
  }
}

/** And the task that ends its work. */
class Worker implements Task {
  attempt: PendingAttempt | undefined = undefined;
  isWaitedFor = false;
  readonly #done: (worker: Worker) => void;

  constructor(done: (worker: Worker) => void) {
    this.#done = done;
  }

  run(): void {
    this.#done(this);
  }
}
