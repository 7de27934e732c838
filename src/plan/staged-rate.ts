import { CompensatedSum } from "./compensated-sum.ts";
import type { Stage } from "./load.ts";
import type { RateProfile } from "./rate-profile.ts";
import { wholeIfNear } from "./whole-arrivals.ts";

/** The length of all stages together, in seconds. */
export function stagesSeconds(stages: readonly Stage[]): number {
  const sum = new CompensatedSum();
  for (const stage of stages) sum.add(stage.seconds);
  return sum.value;
}

/**
 * The profile of stages one after the other. A stage of T seconds from rate a to rate b has the cumulative rate
 *
 *     x(t) = a t + (b - a) t^2 / (2 T),    so    t(x) = 2 x / (a + sqrt(a^2 + 2 (b - a) x / T)),
 *
 * the form of the quadratic's root that subtracts nothing from a nearly equal number. Finding the stage takes O(log n).
 *
 * @param stages at least one, lengths above 0, not all at rate 0.
 * @param durationSeconds their length together, up to rounding.
 */
export function stagedRate(stages: readonly Stage[], durationSeconds: number): RateProfile {
  return new StagedRate(stages, durationSeconds);
}

class StagedRate implements RateProfile {
  readonly durationSeconds: number;
  readonly meanArrivals: number;
  readonly #stages: readonly Stage[];
  /** Where each stage begins, in seconds and in arrivals, and in the end where the last one ends. */
  readonly #starts: Float64Array;
  readonly #befores: Float64Array;
  /** The stage that was found last: the next question is mostly about the same one. */
  #recent = 0;

  constructor(stages: readonly Stage[], durationSeconds: number) {
    this.durationSeconds = durationSeconds;
    this.#stages = stages;
    this.#starts = new Float64Array(stages.length + 1);
    this.#befores = new Float64Array(stages.length + 1);
    const seconds = new CompensatedSum();
    const arrivals = new CompensatedSum();
    stages.forEach((stage, i) => {
      seconds.add(stage.seconds);
      arrivals.add((stage.seconds * (stage.fromRps + stage.toRps)) / 2);
      this.#starts[i + 1] = Math.min(seconds.value, durationSeconds);
      // A boundary on a whole number decides on which side of it, and of a pause, that arrival falls.
      this.#befores[i + 1] = wholeIfNear(arrivals.value);
    });
    this.#starts[stages.length] = durationSeconds;
    this.meanArrivals = this.#befores[stages.length] as number;
  }

  timeAt(arrivals: number): number {
    if (!(arrivals < this.meanArrivals)) return this.durationSeconds;
    const at = this.#find(this.#befores, arrivals);
    const { seconds, fromRps, toRps } = this.#stages[at] as Stage;
    const within = secondsInto(arrivals - (this.#befores[at] as number), seconds, fromRps, toRps);
    return Math.min((this.#starts[at] as number) + within, this.#starts[at + 1] as number);
  }

  arrivalsBefore(time: number): number {
    if (!(time < this.durationSeconds)) return this.meanArrivals;
    const at = this.#find(this.#starts, time);
    const { seconds, fromRps, toRps } = this.#stages[at] as Stage;
    const into = time - (this.#starts[at] as number);
    const within = into * (fromRps + ((toRps - fromRps) * into) / (2 * seconds));
    return Math.min((this.#befores[at] as number) + within, this.#befores[at + 1] as number);
  }

  /** The last stage that begins at or before `x` on `axis`; a pause has no width in arrivals, so it is never the last. */
  #find(axis: Float64Array, x: number): number {
    const recent = this.#recent;
    if ((axis[recent] as number) <= x && x < (axis[recent + 1] as number)) return recent;
    let low = 0;
    let high = this.#stages.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((axis[middle] as number) <= x) low = middle;
      else high = middle;
    }
    this.#recent = low;
    return low;
  }
}

function secondsInto(arrivals: number, seconds: number, fromRps: number, toRps: number): number {
  if (fromRps === toRps) return arrivals / fromRps;
  if (arrivals <= 0) return 0;
  const square = fromRps * fromRps + (2 * (toRps - fromRps) * arrivals) / seconds;
  return (2 * arrivals) / (fromRps + Math.sqrt(Math.max(0, square)));
}
