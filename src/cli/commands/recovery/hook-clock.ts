/**
 * The time of a trial that runs in threads of its own, told from what they say of it now and then. Each word comes later than it
 * was said, never sooner: the one that came fastest tells best when the trial began.
 */
export class HookClock {
  #startedSeconds = Number.POSITIVE_INFINITY;

  /** @param elapsedSeconds of the trial, as it was said. @param nowSeconds when that was heard. @returns whether it tells better. */
  heard(elapsedSeconds: number, nowSeconds: number): boolean {
    // Not yet begun: there are connections to open first.
    if (elapsedSeconds <= 0 || nowSeconds - elapsedSeconds >= this.#startedSeconds) return false;
    this.#startedSeconds = nowSeconds - elapsedSeconds;
    return true;
  }

  /** Undefined while nothing was heard. */
  get startedSeconds(): number | undefined {
    return Number.isFinite(this.#startedSeconds) ? this.#startedSeconds : undefined;
  }
}
