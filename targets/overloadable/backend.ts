import { JobQueue } from "./job-queue.ts";

/** What the backend does with work that it cannot do in time. */
export type Mode = "shed" | "fifo";

/** The model's parameters. */
export interface BackendOptions {
  readonly mode: Mode;
  /** Work of an accepted job, in ms. */
  readonly acceptMs: number;
  /** Work of a rejection, in ms. */
  readonly rejectMs: number;
  /** Jobs that may wait. The one in work is not among them: it has left the queue. */
  readonly capacity: number;
}

/** What the backend needs from the world. The process implements it with HTTP responses, a test with plain records. */
export interface BackendPorts<Job> {
  /** Keeps the processor busy for so many ms and returns the seconds it took. */
  burn(milliseconds: number): number;
  /** Runs the step once what has arrived meanwhile has been read. Called only when there is work. */
  defer(step: () => void): void;
  /** Whether the job's client has given up, as far as the process has noticed. */
  isAbandoned(job: Job): boolean;
  /** Answers a job that was worked on. */
  accept(job: Job): void;
  /** Answers a job that was turned away. */
  reject(job: Job): void;
}

/** Counters since the start. Every arrival is in exactly one of accepted, rejected, abandoned and queue. */
export interface BackendCounters {
  /** Jobs worked on and answered. */
  readonly accepted: number;
  /** Jobs turned away on arrival. */
  readonly rejected: number;
  /** Jobs whose client had gone when their turn came. */
  readonly abandoned: number;
  /** Jobs waiting now. */
  readonly queue: number;
  /** Most jobs waiting at any time since {@link Backend.read} was last called. */
  readonly queueMax: number;
  /** Seconds spent on jobs that were worked on; in mode `fifo` also on abandoned ones. */
  readonly cpuAcceptSeconds: number;
  /** Seconds spent on rejections. */
  readonly cpuRejectSeconds: number;
}

/**
 * A backend with one worker that does all of its work on the processor it also needs to turn work away.
 *
 * - `shed`: an arrival that finds the queue full costs `rejectMs` at once, before any job that waits; a job whose client
 *   has gone by the time of its turn is skipped and costs nothing. With r = rejectMs / acceptMs and offered load L, goodput
 *   is (C - r L) / (1 - r), which falls to zero at L = C / r.
 * - `fifo`: everything is queued and worked on in order, also what its client gave up: the work is done and the answer
 *   dropped. Only the bound on memory rejects.
 *
 * The worker takes one job at a time and hands control back after each ({@link BackendPorts.defer}), so arrivals are seen
 * between jobs only. It asks for no turn while nothing waits.
 */
export class Backend<Job> {
  readonly #mode: Mode;
  readonly #acceptMs: number;
  readonly #rejectMs: number;
  readonly #ports: BackendPorts<Job>;
  readonly #queue: JobQueue<Job>;
  readonly #step = (): void => this.#work();
  #isScheduled = false;
  #accepted = 0;
  #rejected = 0;
  #abandoned = 0;
  #queueMax = 0;
  #cpuAcceptSeconds = 0;
  #cpuRejectSeconds = 0;

  constructor(options: BackendOptions, ports: BackendPorts<Job>) {
    this.#mode = options.mode;
    this.#acceptMs = options.acceptMs;
    this.#rejectMs = options.rejectMs;
    this.#ports = ports;
    this.#queue = new JobQueue(options.capacity);
  }

  /** Takes a job in, or burns the cost of a rejection and turns it away. */
  arrive(job: Job): void {
    if (!this.#queue.push(job)) {
      this.#cpuRejectSeconds += this.#ports.burn(this.#rejectMs);
      this.#rejected += 1;
      this.#ports.reject(job);
      return;
    }
    if (this.#queue.length > this.#queueMax) this.#queueMax = this.#queue.length;
    this.#schedule();
  }

  /** Reads the counters and starts a new high-water mark of the queue. */
  read(): BackendCounters {
    const queueMax = this.#queueMax;
    this.#queueMax = this.#queue.length;
    return {
      accepted: this.#accepted,
      rejected: this.#rejected,
      abandoned: this.#abandoned,
      queue: this.#queue.length,
      queueMax,
      cpuAcceptSeconds: this.#cpuAcceptSeconds,
      cpuRejectSeconds: this.#cpuRejectSeconds,
    };
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    this.#ports.defer(this.#step);
  }

  #work(): void {
    this.#isScheduled = false;
    const job = this.#next();
    if (job === undefined) return;
    const isAbandoned = this.#ports.isAbandoned(job);
    this.#cpuAcceptSeconds += this.#ports.burn(this.#acceptMs);
    if (isAbandoned) {
      this.#abandoned += 1;
    } else {
      this.#accepted += 1;
      this.#ports.accept(job);
    }
    this.#schedule();
  }

  /** The next job to work on. In mode `shed` it drops abandoned ones on the way: skipping them costs no turn. */
  #next(): Job | undefined {
    let job = this.#queue.shift();
    if (this.#mode === "fifo") return job;
    while (job !== undefined && this.#ports.isAbandoned(job)) {
      this.#abandoned += 1;
      job = this.#queue.shift();
    }
    return job;
  }
}
