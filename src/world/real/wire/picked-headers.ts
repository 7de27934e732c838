/**
 * The headers of one answer that somebody reads. Nearly every answer has a date, and a date alone is nothing to read (see
 * {@link AnswerHeaders.dated}): its bytes are put aside, and made a text only when another header is there.
 */

import type { AnswerHeaders } from "../answer-headers.ts";

const DATE = "date";
/** An HTTP-date has 29 (RFC 9110, 5.6.7), in its oldest form up to 33. */
const DATE_BYTES_MAX = 64;

export class PickedHeaders {
  readonly #answerHeaders: AnswerHeaders | undefined;
  readonly #date = Buffer.alloc(DATE_BYTES_MAX);
  #dateLength = -1;
  #found: string[] | undefined;

  /** @param answerHeaders those that are wanted; undefined: none. */
  constructor(answerHeaders: AnswerHeaders | undefined) {
    this.#answerHeaders = answerHeaders;
  }

  /** Another head comes. */
  begin(): void {
    this.#found = undefined;
    this.#dateLength = -1;
  }

  /** @param name in lower case, of a wanted header, its value in bytes[from .. to). */
  take(name: string, bytes: Uint8Array, from: number, to: number): void {
    if (name === DATE && this.#dateLength < 0 && to - from <= DATE_BYTES_MAX) {
      this.#dateLength = to - from;
      for (let at = from; at < to; at += 1) this.#date[at - from] = bytes[at] as number;
      return;
    }
    this.#found ??= [];
    this.#found.push(name, Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1"));
  }

  /** Name in lower case, value, ...; undefined when there is nothing to read. */
  get all(): readonly string[] | undefined {
    if (this.#found === undefined) return undefined;
    const date = this.#dateLength < 0 ? [] : [DATE, this.#date.toString("latin1", 0, this.#dateLength)];
    return this.#answerHeaders?.dated([...date, ...this.#found]);
  }
}
