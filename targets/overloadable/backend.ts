import type { BackendState } from "../../src/plan/timeline.ts";
import { type ColdStart, Warmth } from "../../src/plan/warmth.ts";
import { JobQueue } from "./job-queue.ts";

/** The model's parameters. */
export interface BackendOptions {
  /** Whom it turns away, and what becomes of work whose client has gone. */
  readonly mode: "shed" | "fifo" | "bernoulli";
  /** Work of an accepted job, in ms. */
  readonly acceptMs: number;
  /** Work of a rejection, in ms. */
  readonly rejectMs: number;
  /** Jobs that may wait. The one in work is not among them: it has left the queue. */
  readonly capacity: number;
  /** The share of it that is kept for jobs that matter more, by step of criticality; 0 treats all alike. */
  readonly reserve: number;
  /** Mode `bernoulli`: the probability that a job is accepted. */
  readonly acceptShare: number;
  /** How long jobs take while it is cold; undefined: it is always warm. */
  readonly cold?: ColdStart;
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
  /** What the script makes of the backend at the moment. */
  state(): BackendState;
  /** How many of the script's outages are over. Called only of a backend that may be cold. */
  outagesOver(): number;
  /** Draws uniformly from [0, 1). Called in mode `bernoulli` only, once per arrival. */
  random(): number;
}

/** Counters since the start. Every arrival is in exactly one of accepted, rejected, abandoned and queue. */
export interface BackendCounters {
  /** Jobs worked on and answered. */
  readonly accepted: number;
  /** Jobs turned away. Counted on arrival, like the decision; also those whose client left before the answer. */
  readonly rejected: number;
  /** Jobs whose client had gone when their turn came. */
  readonly abandoned: number;
  /** Jobs waiting now. */
  readonly queue: number;
  /** Most jobs waiting at any time since {@link Backend.read} was last called. */
  readonly queueMax: number;
  /** Requests not yet answered: the queue, rejections whose turn has not come, answers held back. 0 when all is idle. */
  readonly inFlight: number;
  /** Seconds spent on jobs that were worked on; in mode `fifo` also on abandoned ones. */
  readonly cpuAcceptSeconds: number;
  /** Seconds spent on rejections. */
  readonly cpuRejectSeconds: number;
  /** Null: it is always warm. */
  readonly warmth: WarmthReading | null;
}

/** How warm a backend is. */
export interface WarmthReading {
  /** Jobs done since it was cold, as many as it takes to be warm at most. */
  readonly jobs: number;
  /** How many times as long a job takes that starts now. */
  readonly cost: number;
}

/** Rejections that may wait for their turn. One more is worked on at once, which stops the reading of sockets. */
const REJECTIONS_MAX = 100_000;

/**
 * A backend with one worker, which does its jobs on the same processor that turns jobs away.
 *
 * - `shed`: an arrival that finds the queue full is rejected, which takes `rejectMs`. A job or a rejection whose client
 *   has gone by the time of its turn is skipped and costs nothing. With r = rejectMs / acceptMs, goodput at offered load L is
 *   (C - r L) / (1 - r), which is zero at L = C / r.
 * - `fifo`: everything is queued and worked on in order, also what its client gave up: the work is done and the answer
 *   dropped. Only the bound on memory rejects.
 * - `bernoulli`: an arrival is accepted with the probability `acceptShare`, whatever the load; else as `shed`. A backend that
 *   fails for other reasons than overload, with answers that look like it.
 *
 * One that may be cold takes {@link Warmth} times as long for a job, and as long as ever for a rejection; what its client gave up
 * warms nothing.
 *
 * Of a capacity of f ({@link BackendPorts.state}), work that starts takes 1/f of its time, jobs and rejections alike, as on a
 * slower processor, in a ramp by the f of that moment; in mode `bernoulli` the work stays as it is and `acceptShare` becomes f times as large. In an outage, f = 0,
 * everything that arrives is rejected at once and at no cost, and what was taken before is done at the usual speed.
 *
 * Work goes in rounds: one job, then the rejections that were due when it ended. So rejections come before the jobs
 * that wait, as if burnt by the handler that read them, yet a storm that keeps the processor busy with rejections alone
 * still lets one job through per round: goodput falls to 1 / (acceptMs + rejectMs x connections) and not to nothing.
 * The worker hands control back after each job and each rejection ({@link BackendPorts.defer}), so sockets, signals and
 * questions for the counters never wait for a whole round: were a round burnt in one go, Node would take in one new
 * connection per round, seven a second with 500 clients. The worker asks for no turn while nothing is due.
 */
export class Backend<Job> {
  readonly #mode: BackendOptions["mode"];
  readonly #acceptMs: number;
  readonly #rejectMs: number;
  readonly #ports: BackendPorts<Job>;
  readonly #queue: JobQueue<Job>;
  readonly #capacity: number;
  readonly #reserve: number;
  readonly #acceptShare: number;
  readonly #warmth: Warmth | undefined;
  readonly #rejections = new JobQueue<Job>(REJECTIONS_MAX);
  #rejectionsDue = 0;
  readonly #step = (): void => this.#turn();
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
    this.#capacity = options.capacity;
    this.#reserve = options.reserve;
    this.#acceptShare = options.acceptShare;
    this.#warmth = options.cold === undefined ? undefined : new Warmth(options.cold);
  }

  /**
   * Takes a job in, or turns it away. Its answer comes in a later turn.
   *
   * @param criticality from 0, what matters most, to 3: each step takes the reserve off the queue that it may find.
   */
  arrive(job: Job, criticality: number): void {
    const { capacityFactor } = this.#ports.state();
    const isAdmitted = this.#admits(criticality, capacityFactor);
    if (capacityFactor === 0) {
      this.#rejected += 1;
      this.#ports.reject(job);
      return;
    }
    if (isAdmitted && this.#queue.push(job)) {
      if (this.#queue.length > this.#queueMax) this.#queueMax = this.#queue.length;
    } else {
      this.#rejected += 1;
      if (!this.#rejections.push(job)) this.#reject(job);
    }
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
      inFlight: this.#queue.length + this.#rejections.length,
      cpuAcceptSeconds: this.#cpuAcceptSeconds,
      cpuRejectSeconds: this.#cpuRejectSeconds,
      warmth: this.#warmth === undefined ? null : this.#readWarmth(this.#warmth),
    };
  }

  /** Is as warm again as at its start. */
  restartWarmth(): void {
    const warmth = this.#warmth;
    if (warmth === undefined) return;
    warmth.outagesOver(this.#ports.outagesOver());
    warmth.restart();
  }

  #admits(criticality: number, capacityFactor: number): boolean {
    if (this.#mode === "bernoulli") return this.#ports.random() < this.#acceptShare * capacityFactor;
    return this.#queue.length < this.#capacity * (1 - criticality * this.#reserve);
  }

  #costNow(warmth: Warmth): number {
    warmth.outagesOver(this.#ports.outagesOver());
    return warmth.cost;
  }

  #readWarmth(warmth: Warmth): WarmthReading {
    const cost = this.#costNow(warmth);
    return { jobs: warmth.jobs, cost };
  }

  #jobMs(): number {
    return this.#warmth === undefined ? this.#acceptMs : this.#acceptMs * this.#costNow(this.#warmth);
  }

  #burn(milliseconds: number): number {
    const { capacityFactor } = this.#ports.state();
    const isUsual = capacityFactor === 0 || this.#mode === "bernoulli";
    return this.#ports.burn(isUsual ? milliseconds : milliseconds / capacityFactor);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length + this.#rejections.length === 0) return;
    this.#isScheduled = true;
    this.#ports.defer(this.#step);
  }

  #turn(): void {
    this.#isScheduled = false;
    const rejection = this.#nextRejection();
    if (rejection !== undefined) {
      this.#reject(rejection);
    } else {
      const job = this.#next();
      if (job !== undefined) this.#work(job);
      this.#rejectionsDue = this.#rejections.length;
    }
    this.#schedule();
  }

  #reject(job: Job): void {
    this.#cpuRejectSeconds += this.#burn(this.#rejectMs);
    this.#ports.reject(job);
  }

  #work(job: Job): void {
    const isAbandoned = this.#ports.isAbandoned(job);
    this.#cpuAcceptSeconds += this.#burn(this.#jobMs());
    if (isAbandoned) {
      this.#abandoned += 1;
    } else {
      this.#warmth?.worked();
      this.#accepted += 1;
      this.#ports.accept(job);
    }
  }

  /** The next rejection due in this round whose client still waits for it: nobody reads the request of one that left. */
  #nextRejection(): Job | undefined {
    while (this.#rejectionsDue > 0) {
      this.#rejectionsDue -= 1;
      const rejection = this.#rejections.shift();
      if (rejection !== undefined && !this.#ports.isAbandoned(rejection)) return rejection;
    }
    return undefined;
  }

  /** The next job to work on. But in mode `fifo` it drops abandoned ones on the way: skipping them costs no turn. */
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
