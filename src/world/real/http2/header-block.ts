/** Puts together a header block that comes in several frames (RFC 9113, 6.2 and 6.10), within a bound. */

import { H2ProtocolError } from "./frame-reader.ts";
import { FLAG } from "./frames.ts";

/** The longest headers of an answer, compressed: as undici's limit for HTTP/1.1. */
const BLOCK_BYTES_MAX = 16_384;
/** A block may be longer without harm to the other streams, but not without end (CVE-2024-27316). */
const FLOOD_BYTES = 1 << 20;
const NOTHING = Buffer.alloc(0);

export class HeaderBlock {
  streamId = 0;
  endStream = false;
  /** True until the frame with which the block ends. */
  open = false;
  #parts: Buffer[] = [];
  #bytes = 0;

  /** A HEADERS frame. */
  begin(flags: number, streamId: number, payload: Buffer): void {
    this.streamId = streamId;
    this.endStream = (flags & FLAG.endStream) !== 0;
    this.open = true;
    const padded = (flags & FLAG.padded) !== 0;
    const start = (padded ? 1 : 0) + ((flags & FLAG.priority) !== 0 ? 5 : 0);
    const end = payload.length - (padded ? (payload[0] ?? 0) : 0);
    if (end < start) throw new H2ProtocolError("PROTOCOL_ERROR", "Headers shorter than their padding");
    this.add(flags, payload.subarray(start, end));
  }

  /** A CONTINUATION frame, or what the first one brought. */
  add(flags: number, part: Buffer): void {
    if (!this.open) throw new H2ProtocolError("PROTOCOL_ERROR", "A continuation of no headers");
    this.#bytes += part.length;
    if (this.#bytes > FLOOD_BYTES) throw new H2ProtocolError("ENHANCE_YOUR_CALM", "Headers without end");
    if (this.#bytes <= BLOCK_BYTES_MAX) this.#parts.push(this.#keep(flags, part));
    if ((flags & FLAG.endHeaders) !== 0) this.open = false;
  }

  /** The block, to be used at once; undefined when it is too long. Makes ready for the next one. */
  take(): Buffer | undefined {
    const fits = this.#bytes <= BLOCK_BYTES_MAX;
    const block = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    if (this.#parts.length > 0) this.#parts = [];
    this.#bytes = 0;
    return fits ? block : undefined;
  }

  /** A block of one frame is used before its bytes are; parts of a longer one must outlive theirs. */
  #keep(flags: number, part: Buffer): Buffer {
    if (part.length === 0) return NOTHING;
    return (flags & FLAG.endHeaders) !== 0 ? part : Buffer.from(part);
  }
}
