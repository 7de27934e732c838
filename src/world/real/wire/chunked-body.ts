/**
 * A body in chunks (RFC 9112, 7.1): lines with a size, so many bytes, CR LF, and behind the chunk of size 0 the trailer section,
 * whose fields are checked and dropped. Bytes of the body are counted where they lie.
 */

import { CR, LF } from "./characters.ts";
import { ChunkLine } from "./chunk-line.ts";
import type { FieldLines } from "./field-lines.ts";
import type { Part } from "./part.ts";
import type { RefusalCode } from "./refusals.ts";

type Stage = "line" | "data" | "data-cr" | "data-lf" | "trailers";

export class ChunkedBody implements Part {
  done = false;
  refusal: RefusalCode | "" = "";
  /** Of all chunks so far. */
  bodyBytes = 0;
  readonly #bodyBytesMax: number;
  readonly #trailerBytesMax: number;
  readonly #line = new ChunkLine();
  readonly #trailers: FieldLines;
  #stage: Stage = "line";
  #left = 0;
  #trailerBytesLeft = 0;

  /** @param trailers reads the fields of the trailer section. */
  constructor(bodyBytesMax: number, trailerBytesMax: number, trailers: FieldLines) {
    this.#bodyBytesMax = bodyBytesMax;
    this.#trailerBytesMax = trailerBytesMax;
    this.#trailers = trailers;
  }

  /** Another body comes. */
  begin(): void {
    this.done = false;
    this.refusal = "";
    this.bodyBytes = 0;
    this.#stage = "line";
    this.#line.beginBody();
  }

  read(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && !this.done && this.refusal === "") {
      switch (this.#stage) {
        case "line":
          at = this.#line.read(bytes, at, to);
          this.#afterLine();
          break;
        case "data":
          at = this.#count(at, to);
          break;
        case "data-cr":
          at = this.#expect(bytes[at] === CR, "data-lf", at);
          break;
        case "data-lf":
          at = this.#expect(bytes[at] === LF, "line", at);
          break;
        case "trailers":
          at = this.#readTrailers(bytes, at, to);
          break;
        default:
          unreachable(this.#stage);
      }
    }
    return at;
  }

  #beginLine(): void {
    this.#stage = "line";
    this.#line.begin();
  }

  #afterLine(): void {
    const { done, refusal, size } = this.#line;
    this.refusal = refusal;
    if (!done) return;
    if (size === 0) {
      this.#stage = "trailers";
      this.#trailers.begin();
      this.#trailerBytesLeft = this.#trailerBytesMax;
    } else if (size > this.#bodyBytesMax - this.bodyBytes) this.refusal = "H1_BODY_SIZE";
    else {
      this.#stage = "data";
      this.#left = size;
    }
  }

  #count(from: number, to: number): number {
    const bytes = Math.min(this.#left, to - from);
    this.#left -= bytes;
    this.bodyBytes += bytes;
    if (this.#left === 0) this.#stage = "data-cr";
    return from + bytes;
  }

  #expect(holds: boolean, next: Stage, at: number): number {
    if (!holds) {
      this.refusal = "H1_CHUNK_END";
      return at;
    }
    if (next === "line") this.#beginLine();
    else this.#stage = next;
    return at + 1;
  }

  #readTrailers(bytes: Uint8Array, from: number, to: number): number {
    const end = Math.min(to, from + this.#trailerBytesLeft);
    const at = this.#trailers.read(bytes, from, end);
    this.#trailerBytesLeft -= at - from;
    this.done = this.#trailers.done;
    this.refusal = this.#trailers.refusal;
    if (!this.done && this.refusal === "" && this.#trailerBytesLeft === 0) this.refusal = "H1_HEAD_SIZE";
    return at;
  }
}

function unreachable(value: never): never {
  throw new Error(`Unknown stage: ${String(value)}`);
}
