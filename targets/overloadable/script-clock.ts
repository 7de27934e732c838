import type { ScriptChange } from "../../src/plan/script.ts";
import { type BackendState, Timeline } from "../../src/plan/timeline.ts";

/** Before all that a script can say. */
const USUALLY_SECONDS = -1;

/** Runs the target's script when it is told to, and says what the script makes of the target at the moment. */
export class ScriptClock {
  readonly #timeline: Timeline;
  readonly #nowSeconds: () => number;
  #startSeconds: number | undefined;

  /** @param nowSeconds a monotonic clock. */
  constructor(script: readonly ScriptChange[], nowSeconds: () => number) {
    this.#timeline = new Timeline(script);
    this.#nowSeconds = nowSeconds;
  }

  /** Begins it, anew if it has begun already. */
  start(): void {
    this.#startSeconds = this.#nowSeconds();
  }

  /** From now on everything is as usual. */
  end(): void {
    this.#startSeconds = undefined;
  }

  /** How far it has come; null: it does not run. Its last change does not end it. */
  get secondsIn(): number | null {
    return this.#startSeconds === undefined ? null : this.#nowSeconds() - this.#startSeconds;
  }

  state(): BackendState {
    return this.#timeline.at(this.secondsIn ?? USUALLY_SECONDS);
  }
}
