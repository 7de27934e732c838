/** How much may be sent on a stream or on a connection before the peer asks for more (RFC 9113, 5.2 and 6.9). */

import { H2ProtocolError } from "./frame-reader.ts";
import { WINDOW_BYTES_MAX } from "./frames.ts";

export class SendWindow {
  #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Negative after the peer has made its windows smaller. */
  get bytes(): number {
    return this.#bytes;
  }

  take(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** @throws H2ProtocolError when the window grows beyond what a window can be. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > WINDOW_BYTES_MAX) throw new H2ProtocolError("FLOW_CONTROL_ERROR", "A window beyond 2^31 - 1");
  }
}
