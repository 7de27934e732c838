/** What a script makes of one backend, over time. */

import { type CapacityRamp, rampFactor } from "./capacity-ramp.ts";
import type { CapacityChange, ScriptChange } from "./script.ts";

/** How a backend is for a while; in a ramp, at a time. */
export interface BackendState {
  /** 1: as usual; 0: an outage. */
  readonly capacityFactor: number;
  /** Every answer comes later by this. */
  readonly addedSeconds: number;
  /** What its rejections say; undefined: what they say usually. */
  readonly retryAfterSeconds: number | undefined;
}

const USUAL: BackendState = { capacityFactor: 1, addedSeconds: 0, retryAfterSeconds: undefined };

/** From a time at which the script changes something until the next one. */
interface Stretch {
  /** Of a ramp, at the beginning of the stretch. */
  readonly state: BackendState;
  readonly ramp: CapacityRamp | undefined;
}

/** The states of one backend, each from its time on. Asking in order of time costs O(1); it allocates in ramps only. */
export class Timeline {
  /** When the state changes, or begins to change steadily, ascending, in seconds of the measured window. */
  readonly times: readonly number[];
  readonly #stretches: readonly Stretch[];
  readonly #outageEnds: readonly number[];
  #next = 0;
  #outagesOver = 0;

  /** @param backend 0-based. */
  constructor(script: readonly ScriptChange[], backend = 0) {
    const own = script.filter((change) => change.backend === undefined || change.backend === backend);
    const times = new Set(own.flatMap(({ fromSeconds, toSeconds }) => [fromSeconds, toSeconds ?? fromSeconds]));
    this.times = [...times].sort((a, b) => a - b);
    this.#stretches = this.times.map((seconds) => stretchFrom(own, seconds));
    this.#outageEnds = own.flatMap(endOfOutage).sort((a, b) => a - b);
  }

  /** @param seconds of the measured window; negative in the warm-up. */
  at(seconds: number): BackendState {
    const stretch = this.#stretchAt(seconds);
    if (stretch === undefined) return USUAL;
    const { state, ramp } = stretch;
    return ramp === undefined ? state : { ...state, capacityFactor: rampFactor(ramp, seconds) };
  }

  /** The ramp that the capacity is in at a time. */
  rampAt(seconds: number): CapacityRamp | undefined {
    return this.#stretchAt(seconds)?.ramp;
  }

  /** How many outages have come to their end by a time. */
  outagesOver(seconds: number): number {
    const ends = this.#outageEnds;
    while (this.#outagesOver > 0 && seconds < (ends[this.#outagesOver - 1] as number)) this.#outagesOver -= 1;
    while (this.#outagesOver < ends.length && seconds >= (ends[this.#outagesOver] as number)) this.#outagesOver += 1;
    return this.#outagesOver;
  }

  #stretchAt(seconds: number): Stretch | undefined {
    while (this.#next > 0 && seconds < (this.times[this.#next - 1] as number)) this.#next -= 1;
    while (this.#next < this.times.length && seconds >= (this.times[this.#next] as number)) this.#next += 1;
    return this.#next === 0 ? undefined : this.#stretches[this.#next - 1];
  }
}

function endOfOutage(change: ScriptChange): number[] {
  const isOutage = change.kind === "capacity" && change.factor === 0;
  return isOutage && change.toSeconds !== undefined ? [change.toSeconds] : [];
}

function stretchFrom(script: readonly ScriptChange[], seconds: number): Stretch {
  let stretch: Stretch = { state: USUAL, ramp: undefined };
  for (const change of script) {
    const { fromSeconds, toSeconds = Number.POSITIVE_INFINITY } = change;
    if (seconds >= fromSeconds && seconds < toSeconds) stretch = withChange(stretch, change, seconds);
  }
  return stretch;
}

function withChange({ state, ramp }: Stretch, change: ScriptChange, seconds: number): Stretch {
  switch (change.kind) {
    case "capacity": {
      const own = rampOf(change);
      const capacityFactor = own === undefined ? change.factor : rampFactor(own, seconds);
      return { state: { ...state, capacityFactor }, ramp: own };
    }
    case "latency":
      return { state: { ...state, addedSeconds: change.addedSeconds }, ramp };
    case "retryAfter":
      return { state: { ...state, retryAfterSeconds: change.seconds }, ramp };
    default:
      return change satisfies never;
  }
}

function rampOf({ fromSeconds, toSeconds, factor, toFactor }: CapacityChange): CapacityRamp | undefined {
  if (toFactor === undefined) return undefined;
  if (toSeconds !== undefined && factor > 0 && toFactor > 0) return { fromSeconds, toSeconds, factor, toFactor };
  throw new RangeError(
    `Cannot play a ramp as it must have an end and stay above 0: current value is ${factor} to ${toFactor}, ${fromSeconds} s to ${toSeconds} s`,
  );
}
