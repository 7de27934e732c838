/**
 * Cuts what comes in on a connection into frames. Bodies are of no interest here: a DATA frame is reported by its length as
 * its bytes come in, and never put together; all other frames are small and handed over whole.
 */

import { FRAME, FRAME_BYTES_MAX, type H2ErrorName, HEADER_BYTES, STREAM_ID_MAX } from "./frames.ts";

export interface FrameSink {
  /** A frame that is not DATA. The payload is only lent: it may be overwritten after the call. */
  frame(type: number, flags: number, streamId: number, payload: Buffer): void;
  /** Bytes of a DATA frame, padding included. `last` when the frame ends with them; flags are those of the frame. */
  data(flags: number, streamId: number, bytes: number, last: boolean): void;
}

/** What the peer did against the protocol: the connection cannot go on. */
export class H2ProtocolError extends Error {
  readonly h2: H2ErrorName;

  constructor(h2: H2ErrorName, message: string) {
    super(message);
    this.h2 = h2;
  }
}

export class FrameReader {
  readonly #sink: FrameSink;
  /** The start of a frame whose end has not come in yet; never longer than one frame. */
  #rest: Buffer | undefined;
  /** What is still to come of the DATA frame under way. */
  #dataLeft = 0;
  #dataFlags = 0;
  #dataStream = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** @throws H2ProtocolError for frames longer than allowed, and whatever the sink throws. */
  read(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = 0;
    while (at < bytes.length) {
      if (this.#dataLeft > 0) {
        at += this.#data(bytes.length - at);
        continue;
      }
      if (bytes.length - at < HEADER_BYTES) break;
      const length = bytes.readUIntBE(at, 3);
      if (length > FRAME_BYTES_MAX) throw new H2ProtocolError("FRAME_SIZE_ERROR", `A frame of ${length} bytes`);
      const type = bytes[at + 3] as number;
      const flags = bytes[at + 4] as number;
      const streamId = bytes.readUInt32BE(at + 5) & STREAM_ID_MAX;
      const start = at + HEADER_BYTES;
      if (type === FRAME.data) {
        this.#dataLeft = length;
        this.#dataFlags = flags;
        this.#dataStream = streamId;
        at = start;
        if (length === 0) this.#sink.data(flags, streamId, 0, true);
        continue;
      }
      if (bytes.length < start + length) break;
      at = start + length;
      this.#sink.frame(type, flags, streamId, bytes.subarray(start, at));
    }
    if (at < bytes.length) this.#rest = at === 0 ? bytes : bytes.subarray(at);
  }

  #data(available: number): number {
    const bytes = Math.min(available, this.#dataLeft);
    this.#dataLeft -= bytes;
    this.#sink.data(this.#dataFlags, this.#dataStream, bytes, this.#dataLeft === 0);
    return bytes;
  }
}
