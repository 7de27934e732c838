/** One request on one connection, and what a pathology may do about it. */

import type net from "node:net";
import type { RequestFacts } from "./request-reader.ts";
import type { Fate, TruthRecorder } from "./truth.ts";

/** A flood waits while the kernel takes no more, so that its memory is bounded. */
const UNSENT_BYTES_MAX = 1_000_000;

export class Exchange {
  /** Two independent chances in [0, 1), the same for the same seed and number of the request. */
  readonly chance: number;
  readonly otherChance: number;
  readonly #socket: net.Socket;
  readonly #facts: RequestFacts;
  readonly #record: TruthRecorder;
  readonly #startMs: number;
  readonly #over: () => void;
  readonly #timers = new Set<ReturnType<typeof setInterval>>();
  #ended = false;

  /** @param over called once, when the request has ended. */
  constructor(
    socket: net.Socket,
    facts: RequestFacts,
    record: TruthRecorder,
    startMs: number,
    chances: readonly [number, number],
    over: () => void,
  ) {
    this.#socket = socket;
    this.#facts = facts;
    this.#record = record;
    this.#startMs = startMs;
    [this.chance, this.otherChance] = chances;
    this.#over = over;
  }

  /** The head of an answer up to the empty line, with what makes the client keep the connection unless it says otherwise. */
  head(status: number, fields: string): string {
    const kept = fields.includes("Connection: ") ? "" : this.#facts.keepAliveHeader;
    return `HTTP/1.1 ${status} Said\r\n${kept}${fields}`;
  }

  /** A whole answer of two bytes. */
  answer(status: number, fields = ""): void {
    const body = this.#facts.method === "HEAD" ? "" : "ok";
    this.write(`${this.head(status, `${fields}Content-Length: 2\r\n`)}\r\n${body}`);
    this.answered(status);
  }

  /** The pieces written so far are the whole answer. */
  answered(status: number): void {
    this.#end("answered", status);
    if (this.#facts.last) this.#socket.end();
  }

  write(text: string): void {
    if (!this.#socket.destroyed) this.#socket.write(text, "latin1");
  }

  /** Ends this side of the connection in order: what comes in on it is still read. */
  finish(): void {
    this.#socket.end();
    this.#end("brokenOff");
  }

  /** Resets the connection, once what was written so far has left. */
  reset(): void {
    this.#socket.resetAndDestroy();
    this.#end("brokenOff");
  }

  /** The client is gone. */
  leave(): void {
    this.#end("left");
  }

  /** Does something later, unless the request has ended by then. */
  later(ms: number, what: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      what();
    }, ms);
    this.#timers.add(timer);
  }

  /** Writes `text` again and again, as long as the client takes it. */
  flood(text: string, everyMs: number): void {
    const write = (): void => {
      if (this.#socket.writableLength < UNSENT_BYTES_MAX) this.write(text);
    };
    this.#timers.add(setInterval(write, everyMs));
  }

  #end(fate: Fate, status?: number): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const timer of this.#timers) clearInterval(timer);
    const gone = fate === "answered" && this.#socket.destroyed;
    this.#record.ended(gone ? "left" : fate, performance.now() - this.#startMs, status);
    this.#over();
  }
}
