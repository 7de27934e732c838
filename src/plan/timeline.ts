/** What a script makes of one backend, over time. */

import type { ScriptChange } from "./script.ts";

/** How a backend is for a while. */
export interface BackendState {
  /** 1: as usual; 0: an outage. */
  readonly capacityFactor: number;
  /** Every answer comes later by this. */
  readonly addedSeconds: number;
  /** What its rejections say; undefined: what they say usually. */
  readonly retryAfterSeconds: number | undefined;
}

const USUAL: BackendState = { capacityFactor: 1, addedSeconds: 0, retryAfterSeconds: undefined };

/** The states of one backend, each from its time on. Asking in order of time costs O(1). */
export class Timeline {
  /** When the state changes, ascending, in seconds of the measured window. */
  readonly times: readonly number[];
  readonly #states: readonly BackendState[];
  #next = 0;

  /** @param backend 0-based. */
  constructor(script: readonly ScriptChange[], backend = 0) {
    const own = script.filter((change) => change.backend === undefined || change.backend === backend);
    const times = new Set(own.flatMap(({ fromSeconds, toSeconds }) => [fromSeconds, toSeconds ?? fromSeconds]));
    this.times = [...times].sort((a, b) => a - b);
    this.#states = this.times.map((seconds) => stateAt(own, seconds));
  }

  /** @param seconds of the measured window; negative in the warm-up. */
  at(seconds: number): BackendState {
    while (this.#next > 0 && seconds < (this.times[this.#next - 1] as number)) this.#next -= 1;
    while (this.#next < this.times.length && seconds >= (this.times[this.#next] as number)) this.#next += 1;
    return this.#next === 0 ? USUAL : (this.#states[this.#next - 1] as BackendState);
  }
}

function stateAt(script: readonly ScriptChange[], seconds: number): BackendState {
  let state = USUAL;
  for (const change of script) {
    const { fromSeconds, toSeconds = Number.POSITIVE_INFINITY } = change;
    if (seconds >= fromSeconds && seconds < toSeconds) state = withChange(state, change);
  }
  return state;
}

function withChange(state: BackendState, change: ScriptChange): BackendState {
  switch (change.kind) {
    case "capacity":
      return { ...state, capacityFactor: change.factor };
    case "latency":
      return { ...state, addedSeconds: change.addedSeconds };
    case "retryAfter":
      return { ...state, retryAfterSeconds: change.seconds };
    default:
      return change satisfies never;
  }
}
