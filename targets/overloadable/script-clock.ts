import type { ScriptChange } from "../../src/plan/script.ts";
import { type BackendState, Timeline } from "../../src/plan/timeline.ts";

/** Before all that a script can say. */
const USUALLY_SECONDS = -1;

/** Runs the target's script when it is told to, and says what the script makes of the target at the moment. */
export class ScriptClock {
  readonly #timeline: Timeline;
  readonly #nowSeconds: () => number;
  #startSeconds: number | undefined;
  /** That were over when the script was last started or ended. */
  #earlierOutages = 0;

  /** @param nowSeconds a monotonic clock. */
  constructor(script: readonly ScriptChange[], nowSeconds: () => number) {
    this.#timeline = new Timeline(script);
    this.#nowSeconds = nowSeconds;
  }

  /** Begins it, anew if it has begun already. */
  start(): void {
    this.end();
    this.#startSeconds = this.#nowSeconds();
  }

  /** From now on everything is as usual. */
  end(): void {
    const isOut = this.state().capacityFactor === 0;
    this.#earlierOutages = this.outagesOver + (isOut ? 1 : 0);
    this.#startSeconds = undefined;
  }

  /** How far it has come; null: it does not run. Its last change does not end it. */
  get secondsIn(): number | null {
    return this.#startSeconds === undefined ? null : this.#nowSeconds() - this.#startSeconds;
  }

  /** Outages that are over, of all the times it ran. Never less than before. */
  get outagesOver(): number {
    const { secondsIn } = this;
    return this.#earlierOutages + (secondsIn === null ? 0 : this.#timeline.outagesOver(secondsIn));
  }

  state(): BackendState {
    return this.#timeline.at(this.secondsIn ?? USUALLY_SECONDS);
  }
}
