/**
 * How a cold backend gets warm by the work that it does: a cache that fills, code that is compiled when it has run often enough.
 *
 * With w of W jobs done since it was cold, a job takes 1 + (c - 1) (1 - w / W) times as long, so from c down to 1. A job counts
 * that was worked on for a client who still waited for it when its work began: in a look-aside cache it is the client that
 * puts in what it has fetched, and one that has given up does not. So work in vain keeps a backend cold, and a cold backend
 * works in vain: the sustaining effect of cache-driven metastable failures (Bronson et al., Metastable Failures in Distributed
 * Systems, HotOS 2021; Huang et al., Metastable Failures in the Wild, OSDI 2022).
 */

export interface ColdStart {
  /** c: a job takes so many times as long while all is cold. At least 1. */
  readonly coldCost: number;
  /** W: so many jobs done make it warm. Whole, at least 1. */
  readonly warmJobs: number;
  /** How warm it is at first, from 0, cold, to 1. After an outage it is cold in any case. */
  readonly warmth: number;
}

/** Beyond it a cold backend is none. */
export const COLD_COST_MAX = 1000;
export const WARM_JOBS_MAX = 1_000_000_000;

export class Warmth {
  readonly #cold: ColdStart;
  #jobs: number;
  #outages = 0;

  constructor(cold: ColdStart) {
    this.#cold = cold;
    this.#jobs = cold.warmth * cold.warmJobs;
  }

  /** Jobs done since it was cold, `warmJobs` at most. */
  get jobs(): number {
    return this.#jobs;
  }

  /** How many times as long a job takes that starts now. */
  get cost(): number {
    const { coldCost, warmJobs } = this.#cold;
    return this.#jobs >= warmJobs ? 1 : 1 + (coldCost - 1) * (1 - this.#jobs / warmJobs);
  }

  /** A job is done that counts. */
  worked(): void {
    this.#jobs = Math.min(this.#cold.warmJobs, this.#jobs + 1);
  }

  /** Must be told before the cost is asked for. @param count of the outages that are over: a further one has left it cold. */
  outagesOver(count: number): void {
    if (count > this.#outages) this.#jobs = 0;
    this.#outages = count;
  }

  /** Is as warm as at first. */
  restart(): void {
    this.#jobs = this.#cold.warmth * this.#cold.warmJobs;
  }
}
