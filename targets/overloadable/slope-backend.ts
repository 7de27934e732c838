import type { BackendCounters, BackendPorts } from "./backend.ts";

/** The model's parameters. */
export interface SlopeOptions {
  /** What a request takes by itself, in ms. */
  readonly baseMs: number;
  /** What each request in work, itself included, adds to that, in ms. */
  readonly slopeMs: number;
  /** Requests that may be in work; one more is rejected at once. */
  readonly capacity: number;
}

export interface SlopePorts<Job> extends Pick<BackendPorts<Job>, "isAbandoned" | "accept" | "reject" | "state"> {
  /** Runs the step after so many ms. */
  after(milliseconds: number, step: () => void): void;
}

/**
 * A backend that works on many requests at once, the slower the more there are: one that finds n - 1 in work takes
 * baseMs + slopeMs x n, fixed when it arrives. It says no only beyond `capacity`: with a slope of 0 that is a pool of so many
 * workers without a queue. It waits and burns nothing, as if the work were done elsewhere. What its client gave up is worked on
 * all the same and counts in n, which is how retries keep such a backend slow. With a = baseMs, b = slopeMs and L arrivals per
 * ms, the mean latency is (a + b) / (1 - L b).
 *
 * Of a capacity of f, each request in work adds slopeMs / f, in a ramp by the f of its arrival. In an outage everything that arrives is rejected.
 */
export class SlopeBackend<Job> {
  readonly #options: SlopeOptions;
  readonly #ports: SlopePorts<Job>;
  #inWork = 0;
  #inWorkMax = 0;
  #accepted = 0;
  #rejected = 0;
  #abandoned = 0;

  constructor(options: SlopeOptions, ports: SlopePorts<Job>) {
    this.#options = options;
    this.#ports = ports;
  }

  arrive(job: Job): void {
    const { baseMs, slopeMs, capacity } = this.#options;
    const { capacityFactor } = this.#ports.state();
    if (capacityFactor === 0 || this.#inWork >= capacity) {
      this.#rejected += 1;
      this.#ports.reject(job);
      return;
    }
    this.#inWork += 1;
    if (this.#inWork > this.#inWorkMax) this.#inWorkMax = this.#inWork;
    this.#ports.after(baseMs + (slopeMs / capacityFactor) * this.#inWork, () => this.#done(job));
  }

  /** Reads the counters and starts a new high-water mark. What is in work stands where other modes have their queue. */
  read(): BackendCounters {
    const queueMax = this.#inWorkMax;
    this.#inWorkMax = this.#inWork;
    return {
      accepted: this.#accepted,
      rejected: this.#rejected,
      abandoned: this.#abandoned,
      queue: this.#inWork,
      queueMax,
      inFlight: this.#inWork,
      cpuAcceptSeconds: 0,
      cpuRejectSeconds: 0,
      warmth: null,
    };
  }

  /** It is always warm. */
  restartWarmth(): void {}

  #done(job: Job): void {
    this.#inWork -= 1;
    if (this.#ports.isAbandoned(job)) {
      this.#abandoned += 1;
    } else {
      this.#accepted += 1;
      this.#ports.accept(job);
    }
  }
}
