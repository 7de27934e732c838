/**
 * What one connection has been used for so far, whichever client drives it, and what follows from that: whether a break of it
 * is the work of a peer that had given it up already, whether its end was ours to expect. Times are monotonic seconds.
 */

/**
 * A kept connection that breaks before the first byte of an answer is `stale` only when the peer can have closed it for
 * idleness: it lay idle for at least this long (no server in use closes sooner) ...
 */
const STALE_IDLE_SECONDS = 0.04;
/**
 * ... and the break showed within a few round trips, for which the time to connect stands, or within what a busy event loop
 * may be late. Later, the peer had the request and dropped it: a reset.
 */
const STALE_BREAK_SECONDS = 0.02;
const STALE_BREAK_CONNECTS = 3;

/** Of the connections of one lane, one after the other. */
export class ConnectionUse {
  /** Requests that the present connection has carried, the one under way included. */
  #carried = 0;
  /** The present connection was opened ahead, so it may have grown stale before its first request. */
  #openedAhead = false;
  /** The request under way asks for the end of the connection. */
  #closing = false;
  /** The last answer ended a connection whose end we had asked for, and that end has not shown yet. */
  #endAsked = false;
  #freedSeconds = 0;
  #startedSeconds = 0;
  #idleSeconds = 0;

  /** Opened ahead, and no request was sent on it yet. */
  get isUntried(): boolean {
    return this.#openedAhead && this.#carried === 0;
  }

  /** Whether the end of the connection is what we asked for (`Connection: close`). */
  get isEndAsked(): boolean {
    return this.#endAsked || this.#closing;
  }

  /** Whether the request under way is the last one. */
  get isClosing(): boolean {
    return this.#closing;
  }

  openedAhead(nowSeconds: number): void {
    this.#openedAhead = true;
    this.#freedSeconds = nowSeconds;
  }

  /** The next request comes. @param maxRequests that a connection may carry: the last one asks for its end. */
  plan(maxRequests: number): void {
    this.#closing = this.#carried + 1 >= maxRequests;
  }

  /** The request is on the connection. @returns whether that had carried one before. */
  started(nowSeconds: number): boolean {
    this.#startedSeconds = nowSeconds;
    this.#idleSeconds = this.#startedSeconds - this.#freedSeconds;
    this.#carried += 1;
    return this.#carried > 1;
  }

  /** The request has a whole answer. */
  answered(nowSeconds: number): void {
    // Another request goes on another connection, also one that is dispatched before this one's end has shown.
    if (this.#closing) {
      this.#carried = 0;
      this.#endAsked = true;
    }
    this.freed(nowSeconds);
  }

  /** The connection lies idle from now on. */
  freed(nowSeconds: number): void {
    this.#freedSeconds = nowSeconds;
  }

  /** The connection has ended. */
  ended(): void {
    this.#endAsked = false;
    this.#carried = 0;
    this.#openedAhead = false;
  }

  /**
   * Whether a break of the connection before the first byte of an answer is the end of a connection that was given up, seen
   * late.
   *
   * @param connectSeconds how long the connection took to open.
   */
  isStale(nowSeconds: number, connectSeconds: number): boolean {
    return (
      (this.#carried > 1 || this.#openedAhead) &&
      this.#idleSeconds >= STALE_IDLE_SECONDS &&
      nowSeconds - this.#startedSeconds <= Math.max(STALE_BREAK_SECONDS, STALE_BREAK_CONNECTS * connectSeconds)
    );
  }
}
