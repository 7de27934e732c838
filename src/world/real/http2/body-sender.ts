/** Sends the bodies of a connection's requests, as far as the peer's windows allow (RFC 9113, 5.2). */

import { FLAG, FRAME, FRAME_BYTES_MAX, frame, WINDOW_BYTES_DEFAULT } from "./frames.ts";
import type { FrameOutput } from "./output.ts";
import { SendWindow } from "./send-window.ts";
import type { H2Stream } from "./stream.ts";

export class BodySender {
  /** The window of the connection, beside each stream's own. */
  readonly window = new SendWindow(WINDOW_BYTES_DEFAULT);
  readonly #body: Buffer | undefined;
  readonly #output: FrameOutput;
  /** Streams whose body is not all sent. */
  readonly #streams: Set<H2Stream> = new Set();

  /** @param body that of every request; undefined when they have none. */
  constructor(body: Buffer | undefined, output: FrameOutput) {
    this.#body = body;
    this.#output = output;
  }

  /** The headers of the stream are sent. */
  begin(stream: H2Stream): void {
    if (this.#body === undefined) return;
    this.#streams.add(stream);
    this.#send(stream, this.#body);
  }

  /** Sends no more of the stream's body. @returns whether there was more to send. */
  forget(stream: H2Stream): boolean {
    return this.#streams.delete(stream);
  }

  /** There may be room again, in a window or in the output. */
  resume(): void {
    if (this.#body === undefined) return;
    for (const stream of this.#streams) {
      if (this.window.bytes <= 0 || this.#output.stuffed) return;
      this.#send(stream, this.#body);
    }
  }

  #send(stream: H2Stream, body: Buffer): void {
    while (stream.bodySent < body.length && !this.#output.stuffed) {
      const bytes = Math.min(body.length - stream.bodySent, FRAME_BYTES_MAX, stream.window.bytes, this.window.bytes);
      if (bytes <= 0) return;
      const part = body.subarray(stream.bodySent, stream.bodySent + bytes);
      stream.bodySent += bytes;
      stream.window.take(bytes);
      this.window.take(bytes);
      this.#output.push(frame(FRAME.data, stream.bodySent === body.length ? FLAG.endStream : 0, stream.id, part));
    }
    if (stream.bodySent === body.length) this.#streams.delete(stream);
  }
}
