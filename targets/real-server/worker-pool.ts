import { JobQueue } from "../overloadable/job-queue.ts";

/** What the pool needs from the world. The process implements it with a clock and responses, a test with records. */
export interface PoolPorts<Job> {
  nowMs(): number;
  /** Runs the step once so many ms have passed, or somewhat later. */
  wake(afterMs: number, step: () => void): void;
  /** Whether the job's client has given up, as far as the process has noticed. */
  isAbandoned(job: Job): boolean;
  /** Answers a job that was worked on. */
  answer(job: Job): void;
  /** Answers a job that found the queue full. */
  refuse(job: Job): void;
}

/** Every arrival is in exactly one of served, abandoned, refused, busy and queue. */
export interface PoolCounters {
  readonly served: number;
  /** Jobs worked on for a client that had gone when they were done. */
  readonly abandoned: number;
  readonly refused: number;
  /** Jobs in work now. */
  readonly busy: number;
  /** Jobs waiting now. */
  readonly queue: number;
  /** Most jobs waiting at any time since {@link WorkerPool.read} was last called. */
  readonly queueMax: number;
}

/**
 * The most that a worker makes up for when its timer is late. Timers are late by a millisecond or two, which would make
 * the pool that much slower than it says; a stall of the process is longer, and is lost.
 */
const LATE_MS_MAX = 5;

/**
 * A fixed number of workers with one queue in order. A job occupies a worker for `serviceMs` without burning CPU, as a
 * call of a slow database does, and like most applications it does not notice that its client has gone: it does the work
 * all the same. Capacity = workers x 1000 / serviceMs jobs a second.
 */
export class WorkerPool<Job> {
  readonly #workers: number;
  readonly #serviceMs: number;
  readonly #ports: PoolPorts<Job>;
  readonly #queue: JobQueue<Job>;
  #busy = 0;
  #served = 0;
  #abandoned = 0;
  #refused = 0;
  #queueMax = 0;

  /** @param queueMax jobs that may wait. */
  constructor(workers: number, serviceMs: number, queueMax: number, ports: PoolPorts<Job>) {
    this.#workers = workers;
    this.#serviceMs = serviceMs;
    this.#ports = ports;
    this.#queue = new JobQueue(queueMax);
  }

  arrive(job: Job): void {
    if (this.#busy < this.#workers) {
      this.#busy += 1;
      this.#work(job, this.#ports.nowMs());
    } else if (this.#queue.push(job)) {
      this.#queueMax = Math.max(this.#queueMax, this.#queue.length);
    } else {
      this.#refused += 1;
      this.#ports.refuse(job);
    }
  }

  read(): PoolCounters {
    const counters = {
      served: this.#served,
      abandoned: this.#abandoned,
      refused: this.#refused,
      busy: this.#busy,
      queue: this.#queue.length,
      queueMax: this.#queueMax,
    };
    this.#queueMax = this.#queue.length;
    return counters;
  }

  #work(job: Job, startMs: number): void {
    const endMs = startMs + this.#serviceMs;
    const look = (): void => {
      const leftMs = endMs - this.#ports.nowMs();
      // A timer may be early as well.
      if (leftMs > 0) this.#ports.wake(leftMs, look);
      else this.#end(job, endMs);
    };
    this.#ports.wake(endMs - this.#ports.nowMs(), look);
  }

  #end(job: Job, endMs: number): void {
    if (this.#ports.isAbandoned(job)) {
      this.#abandoned += 1;
    } else {
      this.#served += 1;
      this.#ports.answer(job);
    }
    const next = this.#queue.shift();
    if (next === undefined) this.#busy -= 1;
    else this.#work(next, Math.max(endMs, this.#ports.nowMs() - LATE_MS_MAX));
  }
}
