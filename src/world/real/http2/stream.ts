/** A request under way on a connection of HTTP/2: what `call.lane` is then. */

import type { Call } from "../../../engine/call.ts";
import { SendWindow } from "./send-window.ts";

/** Whatever carries a stream. */
export interface StreamCarrier {
  /** Gives the call of the stream up; the connection and its other streams go on. */
  cancel(stream: H2Stream): void;
}

export class H2Stream {
  readonly carrier: StreamCarrier;
  readonly id: number;
  readonly call: Call;
  /** In monotonic seconds. */
  readonly startedSeconds: number;
  /** How much of the request's body the peer takes. */
  readonly window: SendWindow;
  bodySent = 0;
  /** Of the answer: 0 until there is one. */
  status = 0;
  /** Of the answer, those that are wanted. */
  headers: readonly string[] | undefined = undefined;
  /** Length of the answer's body so far. */
  bytes = 0;
  /** Bytes of it for which the peer's window was not topped up yet. */
  owed = 0;

  constructor(carrier: StreamCarrier, id: number, call: Call, startedSeconds: number, windowBytes: number) {
    this.carrier = carrier;
    this.id = id;
    this.call = call;
    this.startedSeconds = startedSeconds;
    this.window = new SendWindow(windowBytes);
  }
}
