/** A connection in memory, whose target answers in given pieces once a request has come, and then ends. */

import { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Turns of the event loop for a client to make what it can of what it has. */
const SETTLE_TURNS = 2;

export class PiecewiseSocket extends Duplex {
  readonly #pieces: readonly Uint8Array[];
  #asked = false;
  readonly #onFed: () => void;

  /** @param onFed all pieces are read, and the connection is about to end. */
  constructor(pieces: readonly Uint8Array[], onFed: () => void) {
    super();
    this.#pieces = pieces;
    this.#onFed = onFed;
    // A client tells its own errors; here they only must not count as unhandled.
    this.on("error", () => {});
  }

  // What clients call of a net.Socket.
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    if (!this.#asked) {
      this.#asked = true;
      void this.#feed();
    }
    done();
  }

  async #feed(): Promise<void> {
    for (const piece of this.#pieces) {
      await nextTurn();
      if (this.destroyed) return;
      if (piece.length > 0) this.push(piece);
    }
    for (let turn = 0; turn < SETTLE_TURNS; turn += 1) await nextTurn();
    this.#onFed();
    if (!this.destroyed) this.push(null);
  }
}
