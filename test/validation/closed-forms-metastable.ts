/**
 * What theory says of retry storms, cold starts and waves, as formulas; README.md of this folder derives them, heading by heading.
 */

import { sharpness } from "./closed-forms.ts";

/** A FIFO server of `workers` x `serviceSeconds` under retries after time-outs, before and after a trigger. */
export interface Backlog {
  /** lambda, calls per second. */
  readonly offered: number;
  /** Attempts of a call, all of which are made while all time out. */
  readonly attempts: number;
  readonly workers: number;
  readonly serviceSeconds: number;
  readonly timeoutSeconds: number;
  readonly factor: number;
  readonly slowSeconds: number;
}

/** V7: the load on a server that answers nothing in time, where each call makes all its attempts. */
export function stormLoadOf({ offered, attempts }: Pick<Backlog, "offered" | "attempts">): number {
  return offered * attempts;
}

/** V7: the same under a budget of a share of all requests, retries included: lambda / (1 - beta). */
export function budgetedLoad(offered: number, retryRatio: number): number {
  return offered / (1 - retryRatio);
}

/** V7: and under one that gives a share of the calls and so many a second and client. */
export function depositLoad(
  offered: number,
  attempts: number,
  share: number,
  clients: number,
  minPerSecond: number,
): number {
  return offered + Math.min((attempts - 1) * offered, share * offered + clients * minPerSecond);
}

/**
 * V7: jobs between the queue at the trigger's end and one that is short enough for answers in time, if
 * everything times out from the trigger's beginning (s / factor > tau). `retries` is how many of them the trigger has called
 * forth; by default all that there was time for, as attempt k comes k time-outs after its call.
 */
export function excessBacklog(storm: Backlog, retries = retriesWithin(storm)): number {
  const { offered, workers, serviceSeconds, timeoutSeconds, factor, slowSeconds } = storm;
  const capacity = workers / serviceSeconds;
  const served = factor * capacity * slowSeconds;
  // What starts slow ends slow: half a long service for each worker, beyond the trigger's end.
  const slowRest = workers / (2 * factor);
  return offered * slowSeconds + retries - served + slowRest - (timeoutSeconds - serviceSeconds) * capacity;
}

function retriesWithin({ offered, attempts, timeoutSeconds, slowSeconds }: Backlog): number {
  const possible = (attempts - 1) * slowSeconds - (timeoutSeconds * attempts * (attempts - 1)) / 2;
  return offered * possible;
}

/** V7: retries that a budget has banked in a healthy window, and grants at once: beta lambda W / (1 - beta). */
export function bankedRetries(offered: number, retryRatio: number, window: number): number {
  return (retryRatio * offered * window) / (1 - retryRatio);
}

/** V7: mean time in which a backlog drains against a load. */
export function drainSeconds(excess: number, capacity: number, load: number): number {
  return excess / (capacity - load);
}

/**
 * V7: P(stuck after `seconds`) of a backlog that is a Brownian motion with drift `load` - `capacity` and variance lambda N^2 a second
 * (a call is N jobs): that it has not come down by `excess` yet, an inverse Gaussian law.
 */
export function stuckProbability(
  seconds: number,
  excess: number,
  { offered, attempts }: Pick<Backlog, "offered" | "attempts">,
  capacity: number,
): number {
  const drift = offered * attempts - capacity;
  const variance = offered * attempts ** 2;
  const spread = Math.sqrt(variance * seconds);
  const reflected = Math.exp((-2 * drift * excess) / variance) * normalBelow((drift * seconds - excess) / spread);
  return normalBelow((drift * seconds + excess) / spread) - reflected;
}

/** V7: the median of that time, for a load below the capacity. */
export function medianDrainSeconds(
  excess: number,
  load: Pick<Backlog, "offered" | "attempts">,
  capacity: number,
): number {
  let early = 0;
  let late = 10 * drainSeconds(excess, capacity, stormLoadOf(load));
  for (let step = 0; step < 60; step += 1) {
    const middle = (early + late) / 2;
    if (stuckProbability(middle, excess, load, capacity) > 0.5) early = middle;
    else late = middle;
  }
  return late;
}

/** P(X < x) of a standard normal law. Source: Abramowitz and Stegun, 26.2.17, to 8e-8. */
export function normalBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return x > 0 ? 1 - above : above;
}

/**
 * V8: when a breaker that opens after failures in a row closes again, from the end of a trigger whose waits grow by
 * (lambda - f C) / (f C) a second until they reach the time-out. A client makes lambda / clients calls a second, N attempts each.
 */
export function breakerRecoverySeconds(
  { offered, attempts, workers, serviceSeconds, timeoutSeconds, factor, slowSeconds }: Backlog,
  clients: number,
  failures: number,
  openSeconds: number,
): number {
  const slowed = (factor * workers) / serviceSeconds;
  const firstLate = ((timeoutSeconds - serviceSeconds / factor) * slowed) / (offered - slowed);
  // The first of a client's calls fails `attempts` times in a row, a time-out each; the failures left come with its later calls.
  const calls = Math.ceil(failures / Math.min(attempts, failures));
  const between = clients / offered;
  const opened = firstLate + (clients === 1 ? failures : calls) * between + timeoutSeconds;
  return Math.max(0, opened + openSeconds - slowSeconds);
}

/** V10: P(stuck) of a trigger in which lambda D arrivals, give or take their root, come against a critical number of them. */
export function tippedProbability(offered: number, criticalOffered: number, slowSeconds: number): number {
  return normalBelow((offered / criticalOffered - 1) * Math.sqrt(offered * slowSeconds));
}

/** V13: K of the solution below. */
const COLD_K = 2;
const COLD_STEPS = 100;
const COLD_END = 100;

/** V13: what of the start of a client stays in the number of its accepts, as they grow with the square of time. */
interface ColdGrowth {
  /** C: after m x calls, C (x + 1)(x + 3) of them have been sent, in the mean. */
  readonly mean: number;
  /** (mean / standard deviation)^2 of C over clients: the shape of its gamma law. */
  readonly shape: number;
}

/**
 * V13: calls that a cold client of K = 2 that counts at the attempt rejects though its backend is healthy, in the
 * mean; m = lambda L is the number of calls under way, at least some ten. C, over clients, is nearly gamma:
 * E(m^2 / (4 C) - 2 m + C).
 */
export function coldThrottled(callsUnderWay: number): number {
  const { mean, shape } = coldGrowth(callsUnderWay);
  return (callsUnderWay ** 2 / (4 * mean)) * (shape / (shape - 1)) - 2 * callsUnderWay + mean;
}

function coldGrowth(callsUnderWay: number): ColdGrowth {
  const weight = coldWeights();
  const at = (x: number): number => weight[Math.round(x * COLD_STEPS)] ?? 0;
  const scale = at(COLD_END) * (COLD_END + 3) ** 2;
  let late = 0;
  for (let step = 0; step < COLD_STEPS; step += 1) {
    const x = (step + 0.5) / COLD_STEPS;
    late += ((COLD_K * at(1 + x)) / (1 + x)) * (Math.log(x) / COLD_STEPS);
  }
  const conserved = 1 / COLD_K + Math.log(callsUnderWay) + EULER + late;
  const mean = conserved / scale;
  let variance = 0;
  for (let call = 1; call <= callsUnderWay; call += 1) {
    variance += at(call / callsUnderWay) ** 2 * (1 / call) * (1 - 1 / call);
  }
  for (let x = 1; x < COLD_END; x += 1 / COLD_STEPS) variance += (at(x) ** 2 * mean * (2 * x + 4)) / COLD_STEPS;
  return { mean, shape: conserved ** 2 / variance };
}

const EULER = 0.5772156649015329;

/** z of z'(x) = -K z(x + 1) / (x + 1), z(0) = 1, from its tail scale / (x + 3)^2 backwards; steps of 1 / COLD_STEPS. */
function coldWeights(): Float64Array {
  const weight = new Float64Array((COLD_END + 1) * COLD_STEPS + 1);
  for (let i = COLD_END * COLD_STEPS; i < weight.length; i += 1) weight[i] = (i / COLD_STEPS + 3) ** -2;
  const fall = (i: number): number => (COLD_K * (weight[i + COLD_STEPS] as number)) / (i / COLD_STEPS + 1);
  for (let i = COLD_END * COLD_STEPS - 1; i >= 0; i -= 1) {
    weight[i] = (weight[i + 1] as number) + (fall(i) + fall(i + 1)) / (2 * COLD_STEPS);
  }
  const start = weight[0] as number;
  return weight.map((value) => value / start);
}

const WAVE_STEPS = 100;

/**
 * V15: the parts of a wave that fall into each second, when every one of it is late by a sum of independent delays, each uniform
 * from 0 to a width in seconds, after an exponential one with the given mean.
 */
export function waveShares(widths: readonly number[], exponentialSeconds = 0): readonly number[] {
  const steps = Math.ceil(widths.reduce((sum, width) => sum + width, 1) + 20 * exponentialSeconds) * WAVE_STEPS;
  let density = new Float64Array(steps);
  for (let step = 0; step < steps; step += 1) {
    const at = (seconds: number): number => (exponentialSeconds === 0 ? 1 : -Math.expm1(-seconds / exponentialSeconds));
    density[step] = at((step + 1) / WAVE_STEPS) - (step === 0 ? 0 : at(step / WAVE_STEPS));
  }
  for (const width of widths) density = spread(density, Math.round(width * WAVE_STEPS));
  return Array.from({ length: steps / WAVE_STEPS }, (_, second) =>
    density.slice(second * WAVE_STEPS, (second + 1) * WAVE_STEPS).reduce((sum, part) => sum + part, 0),
  );
}

function spread(density: Float64Array, width: number): Float64Array<ArrayBuffer> {
  if (width === 0) return new Float64Array(density);
  let sum = 0;
  return new Float64Array(density).map((part, step) => {
    sum += part - (step >= width ? (density[step - width] as number) : 0);
    return sum / width;
  });
}

/** A `shed` server under a steady load, that refuses all for a second and tells everyone to wait, plus up to `jitterSeconds`. */
export interface Echo {
  /** Load / capacity. */
  readonly rho: number;
  readonly burst: number;
  readonly waitSeconds: number;
  readonly jitterSeconds: number;
  /** From the beginning of the outage, which lasts one second. */
  readonly lookSeconds: number;
}

/**
 * V15: refusals in that time per call that the outage refused, these included: what comes back meets what the capacity leaves over,
 * and the rest comes back again. As a fluid; at each moment the server takes what it takes of a steady load of that size.
 */
export function echoedRefusals({ rho, burst, waitSeconds, jitterSeconds, lookSeconds }: Echo): number {
  const load = new Float64Array(Math.round(lookSeconds * WAVE_STEPS)).fill(rho);
  const wait = Math.round(waitSeconds * WAVE_STEPS);
  const width = Math.max(1, Math.round(jitterSeconds * WAVE_STEPS));
  let refusals = 0;
  for (let step = 0; step < load.length; step += 1) {
    const offered = load[step] as number;
    const refused = step < WAVE_STEPS ? offered : Math.max(0, offered - sharpness(offered, burst));
    refusals += refused / WAVE_STEPS / rho;
    for (let late = step + wait; late < Math.min(step + wait + width, load.length); late += 1) {
      load[late] = (load[late] as number) + refused / width;
    }
  }
  return refusals;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** V21: calls per second that retries of so many attempts can at most be offered, for a storm to end by itself: C / N. */
export function retriesThreshold(capacity: number, attempts: number): number {
  return capacity / attempts;
}

/** V21: the same under a budget of a share of all requests: C (1 - beta). */
export function budgetThreshold(capacity: number, retryRatio: number): number {
  return capacity * (1 - retryRatio);
}

/**
 * V21: mean seconds until a queue of constant work, from empty on, first holds `jobs`: that a Brownian motion with drift lambda - C
 * and variance lambda a second, reflected at 0, first reaches that level.
 */
export function firstPassageSeconds(offered: number, capacity: number, jobs: number): number {
  const room = capacity - offered;
  const exponent = (2 * room * jobs) / offered;
  return (offered / (2 * room * room)) * (Math.expm1(exponent) - exponent);
}

/** V21: the load at which half of so long trials see a wait that is longer than the time-out leaves room for. */
export function spontaneousLoad(
  { workers, serviceSeconds, timeoutSeconds }: Pick<Backlog, "workers" | "serviceSeconds" | "timeoutSeconds">,
  seconds: number,
): number {
  const capacity = workers / serviceSeconds;
  const jobs = (timeoutSeconds - serviceSeconds) * capacity;
  let low = 0;
  let high = capacity;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    // Exponential, nearly: a rare event without memory.
    if (firstPassageSeconds(middle, capacity, jobs) * Math.LN2 > seconds) low = middle;
    else high = middle;
  }
  return low;
}
