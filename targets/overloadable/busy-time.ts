/**
 * How long there was something to do: from the asking for a turn on, until a turn ends without asking for another. Beside the
 * work itself that is the reading of requests and connections, the writing of answers, and time in which others had the
 * processor.
 */
export class BusyTime {
  readonly #nowSeconds: () => number;
  #endedSeconds = 0;
  /** Since when there has been something to do. */
  #since: number | undefined;
  #isAsked = false;
  #step: () => void = () => {};
  readonly #turn = (): void => {
    this.#isAsked = false;
    this.#step();
    if (this.#isAsked) return;
    this.#endedSeconds = this.seconds;
    this.#since = undefined;
  };

  /** @param nowSeconds a clock that does not go back. */
  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds;
  }

  /** Up to now. */
  get seconds(): number {
    return this.#since === undefined ? this.#endedSeconds : this.#endedSeconds + this.#nowSeconds() - this.#since;
  }

  /** The same giver of turns, watched. @param defer as the backend wants it: one step at a time. */
  watch(defer: (step: () => void) => void): (step: () => void) => void {
    return (step) => {
      this.#since ??= this.#nowSeconds();
      this.#isAsked = true;
      this.#step = step;
      defer(this.#turn);
    };
  }
}
