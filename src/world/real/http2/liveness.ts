/** What the silence of a connection says: that its peer had closed it for idleness, or that nobody is there any more. */

import { monotonicSeconds } from "../monotonic.ts";

/** As for HTTP/1.1 (lane.ts): when a break is put down to the peer's having closed an idle connection. */
const STALE_IDLE_SECONDS = 0.04;
const STALE_BREAK_SECONDS = 0.02;
const STALE_BREAK_CONNECTS = 3;
/** A connection that is silent for this long after a PING is dead, whatever TCP still hopes for. */
const SILENCE_SECONDS = 5;

export class Liveness {
  readonly #bornSeconds: number = monotonicSeconds();
  #connectSeconds = 0;
  #receivedSeconds = 0;
  #pingedSeconds: number | undefined;
  #idleFromSeconds = 0;
  #busyFromSeconds = 0;

  /** How long the connection has existed, its opening included. */
  get ageSeconds(): number {
    return monotonicSeconds() - this.#bornSeconds;
  }

  /** Requests can be sent from now on. */
  opened(): void {
    this.#connectSeconds = this.ageSeconds;
    this.idle();
  }

  /** Something came in. */
  received(): void {
    this.#receivedSeconds = monotonicSeconds();
    this.#pingedSeconds = undefined;
  }

  /** The first stream after an idle time begins. */
  busy(nowSeconds: number): void {
    this.#busyFromSeconds = nowSeconds;
  }

  /** The last stream has ended. */
  idle(): void {
    this.#idleFromSeconds = monotonicSeconds();
  }

  /** Whether a connection that breaks now had been closed before the present streams reached the peer. */
  get stale(): boolean {
    return (
      this.#receivedSeconds < this.#busyFromSeconds &&
      this.#busyFromSeconds - this.#idleFromSeconds >= STALE_IDLE_SECONDS &&
      monotonicSeconds() - this.#busyFromSeconds <=
        Math.max(STALE_BREAK_SECONDS, STALE_BREAK_CONNECTS * this.#connectSeconds)
    );
  }

  /**
   * The time of a stream is up that began at `startedSeconds`.
   *
   * @returns `ask` when a PING should now tell whether anybody is there, `dead` when one was not answered for long.
   */
  suspect(startedSeconds: number): "ask" | "dead" | "alive" {
    if (this.#receivedSeconds >= startedSeconds) return "alive";
    const now = monotonicSeconds();
    if (this.#pingedSeconds === undefined) {
      this.#pingedSeconds = now;
      return "ask";
    }
    return now - this.#pingedSeconds > SILENCE_SECONDS ? "dead" : "alive";
  }
}
