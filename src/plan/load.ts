/** What load a plan is to make: the law by which arrivals come, and the rate that it follows. Plain data. */

/** How the rate of arrivals goes over time, in arrivals per second. */
export type RateSpec = ConstantRateSpec | StagedRateSpec | SineRateSpec;

export interface ConstantRateSpec {
  readonly kind: "constant";
  /** Above 0 and at most 1,000,000. */
  readonly rps: number;
}

/** 1 to 10,000 stages one after the other: holds, ramps, pulses. Their lengths together are the plan's duration. */
export interface StagedRateSpec {
  readonly kind: "stages";
  readonly stages: readonly Stage[];
}

/**
 * The rate goes evenly from `fromRps` to `toRps`, both 0 to 1,000,000; equal ones hold it, two zeros are a pause. Not all
 * stages may be pauses.
 */
export interface Stage {
  readonly seconds: number;
  readonly fromRps: number;
  readonly toRps: number;
}

/** A sine wave between two rates, 0 <= low < high <= 1,000,000, starting at their mean and rising. */
export interface SineRateSpec {
  readonly kind: "sine";
  readonly lowRps: number;
  readonly highRps: number;
  readonly periodSeconds: number;
}

/** How arrivals come, given the rate. */
export type ArrivalSpec = ConstantArrivalSpec | PoissonArrivalSpec | BurstyArrivalSpec | ReplaySpec;

export interface ConstantArrivalSpec {
  readonly law: "constant";
  readonly rate: RateSpec;
}

export interface PoissonArrivalSpec {
  readonly law: "poisson";
  readonly rate: RateSpec;
}

/**
 * A Markov-modulated Poisson process of two states: bursts of exponential length, mean `burstSeconds`, in which the rate is
 * `peak` times what `rate` says, and a calmer state between, such that the mean stays what `rate` says and bursts take the
 * share `share` of the time. With `share` = 1 / `peak` nothing arrives between bursts: an on/off process.
 */
export interface BurstyArrivalSpec {
  readonly law: "bursty";
  readonly rate: RateSpec;
  /** Above 1, and such that the rate in bursts is at most 1,000,000. */
  readonly peak: number;
  /** Above 0 and at most 1 / `peak`. */
  readonly share: number;
  /** At least 0.001, and at least one arrival is to be expected in 10,000 bursts. */
  readonly burstSeconds: number;
}

/**
 * Arrivals as they were recorded. The first `warmupSeconds` of the recording are the plan's warm-up, what comes after the
 * measured window is left out.
 */
export interface ReplaySpec {
  readonly law: "replay";
  /** Seconds since the start, not decreasing, the first at or after 0; on shared memory, so that threads need no copies. */
  readonly timesSeconds: Float64Array;
  /**
   * Who called, for each arrival, where the recording tells: it is virtual user `owner` modulo the number of users. Else
   * users are drawn as for Poisson.
   */
  readonly owners: Uint32Array | undefined;
}
