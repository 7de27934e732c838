/**
 * The `worker` server model: the law of the built-in target in mode `shed` (targets/overloadable/backend.ts), event by event.
 *
 * One worker does the jobs, and turns others away in between. A job that finds `queueMax` waiting, the one in work not among
 * them, is rejected, which takes the worker `rejectSeconds`. Work goes in rounds: one job, then the rejections that were due
 * when it ended. A job or a rejection whose client has gone by the time of its turn is skipped at no cost. The process reads
 * its sockets between two turns: what arrives while the worker is at work is taken in when that piece of work is done. An
 * answer leaves when its work is done.
 *
 * With r = rejectSeconds / acceptSeconds and C = 1 / acceptSeconds, the goodput at an offered load L > C that nobody retries is
 * (C - r L) / (1 - r), as long as that is more than the one job per round that a storm of rejections lets through.
 *
 * A change of the capacity by the factor f makes the work that starts while it lasts take 1 / f of its time, in a ramp by the f of
 * that moment. What is taken in during an outage is rejected at once and at no cost; the worker goes on with what it had, at its
 * usual speed. Where the backend may be cold, jobs take {@link Warmth} times as long; rejections do not.
 */

import type { Task } from "../../engine/ports.ts";
import type { WorkerModelSpec } from "../../engine/trial-spec.ts";
import { Warmth } from "../../plan/warmth.ts";
import { AnsweringServer, type BackendPorts, LATER } from "./answering.ts";
import { AttemptLine } from "./attempt-line.ts";
import type { PendingAttempt } from "./pending-attempt.ts";

/** O(1) per attempt, and no allocation once its lines are as long as its backlog. */
export class WorkerServer extends AnsweringServer {
  readonly #model: WorkerModelSpec;
  /** Undefined: always warm. */
  readonly #warmth: Warmth | undefined;
  /** Arrived while the worker was at work. */
  readonly #unread: AttemptLine = new AttemptLine();
  readonly #queue: AttemptLine = new AttemptLine();
  readonly #rejections: AttemptLine = new AttemptLine();
  /** How many of the rejections are due in this round. */
  #rejectionsDue = 0;
  /** `called`: its turn comes once all that arrives at this very moment has been read. */
  #worker: "idle" | "called" | "accepting" | "rejecting" = "idle";
  #inWork: PendingAttempt | undefined;
  readonly #turnTask: Task = { run: () => this.#turn() };
  readonly #doneTask: Task = { run: () => this.#done() };

  constructor(model: WorkerModelSpec, ports: BackendPorts) {
    super(ports, model.latencySeconds, model.retryAfterSeconds);
    this.#model = model;
    this.#warmth = model.cold === undefined ? undefined : new Warmth(model.cold);
  }

  serve(attempt: PendingAttempt): number {
    if (this.#worker === "accepting" || this.#worker === "rejecting") {
      this.#unread.push(attempt);
      return LATER;
    }
    this.#read(attempt);
    if (this.#worker === "called" || this.#queue.length + this.#rejections.length === 0) return LATER;
    this.#worker = "called";
    this.scheduler.at(this.scheduler.now(), this.#turnTask, "exact");
    return LATER;
  }

  /** Takes an attempt in, or turns it away. That its client has left is seen in its turn. */
  #read(attempt: PendingAttempt): void {
    const now = this.scheduler.now();
    const { queueMax, reserve = 0 } = this.#model;
    if (this.stateAt(now).capacityFactor === 0) this.answer(attempt, this.reject(attempt, now));
    else if (this.#queue.length < queueMax * (1 - attempt.criticality * reserve)) this.#queue.push(attempt);
    else this.#rejections.push(attempt);
  }

  /** Starts the next piece of work, or lets the worker rest. */
  #turn(): void {
    for (;;) {
      const rejection = this.#nextRejection();
      if (rejection !== undefined) {
        this.#start(rejection, "rejecting", this.#model.rejectSeconds);
        return;
      }
      const job = this.#nextJob();
      if (job !== undefined) {
        this.#start(job, "accepting", this.#jobSeconds());
        return;
      }
      // A round without a job: the rejections that wait are due at once.
      this.#rejectionsDue = this.#rejections.length;
      if (this.#rejectionsDue === 0) {
        this.#worker = "idle";
        return;
      }
    }
  }

  #jobSeconds(): number {
    const { acceptSeconds } = this.#model;
    return this.#warmth === undefined ? acceptSeconds : acceptSeconds * this.costNow(this.#warmth);
  }

  #start(attempt: PendingAttempt, work: "accepting" | "rejecting", usualSeconds: number): void {
    const now = this.scheduler.now();
    const { capacityFactor } = this.stateAt(now);
    this.#worker = work;
    this.#inWork = attempt;
    const seconds = capacityFactor === 0 ? usualSeconds : usualSeconds / capacityFactor;
    this.scheduler.at(now + seconds, this.#doneTask, "exact");
  }

  /** The worker is at work until all has been read: what an answer brings back at once is read last. */
  #done(): void {
    const attempt = this.#inWork as PendingAttempt;
    this.#inWork = undefined;
    const now = this.scheduler.now();
    if (this.#worker === "accepting") {
      this.#warmth?.worked();
      this.answer(attempt, this.accept(attempt, now));
      // What has arrived meanwhile is not read yet: if it is turned away, that is due after the next job.
      this.#rejectionsDue = this.#rejections.length;
    } else {
      this.answer(attempt, this.reject(attempt, now));
    }
    for (let unread = this.#unread.shift(); unread !== undefined; unread = this.#unread.shift()) this.#read(unread);
    this.#turn();
  }

  /** The next rejection due in this round whose client still waits. */
  #nextRejection(): PendingAttempt | undefined {
    while (this.#rejectionsDue > 0) {
      this.#rejectionsDue -= 1;
      const rejection = this.#rejections.shift() as PendingAttempt;
      if (rejection.call !== undefined) return rejection;
      this.#skip(rejection);
    }
    return undefined;
  }

  #nextJob(): PendingAttempt | undefined {
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      if (job.call !== undefined) return job;
      this.#skip(job);
    }
    return undefined;
  }

  /** Nobody gets this answer; the record is wanted back. */
  #skip(attempt: PendingAttempt): void {
    this.answer(attempt, this.reject(attempt, this.scheduler.now()));
  }
}
