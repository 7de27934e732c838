/**
 * One connection of HTTP/2 with prior knowledge (RFC 9113), as a client that only wants to know how each request ends:
 * every stream carries the same request, bodies of answers are counted and thrown away, and of the headers only the status
 * is read. Written on plain sockets because it is the same on the three runtimes that way, tells exactly what became of a
 * stream, and costs a tenth of what a stream object for each request does.
 *
 * States: `opening` until the peer's first SETTINGS frame; `open`; `retired` takes no further stream (GOAWAY, or it has
 * carried what it may) and closes when the last one has ended; `closed`.
 */

import type { Socket } from "node:net";
import type { Call } from "../../../engine/call.ts";
import type { Fault } from "../../../policy/policy.ts";
import type { Connector } from "../connector.ts";
import { monotonicSeconds } from "../monotonic.ts";
import { BodySender } from "./body-sender.ts";
import { breachCode, endOf, goawayCode, noH2, protocolError, resetCode, timedOut } from "./errors.ts";
import { FrameReader, type FrameSink, H2ProtocolError } from "./frame-reader.ts";
import {
  errorName,
  FLAG,
  FRAME,
  frame,
  goawayFrame,
  type H2ErrorName,
  PREFACE,
  rstStreamFrame,
  SETTING,
  STREAM_ID_MAX,
  settingsFrame,
  WINDOW_BYTES_DEFAULT,
  windowUpdateFrame,
} from "./frames.ts";
import { HeaderBlock } from "./header-block.ts";
import { fieldsOf } from "./header-fields.ts";
import { Liveness } from "./liveness.ts";
import { FrameOutput } from "./output.ts";
import { forStream, type H2Request, withHeaders } from "./request.ts";
import { statusOf } from "./status.ts";
import { H2Stream, type StreamCarrier } from "./stream.ts";

/** The most streams that we run at once on a connection, whatever the peer allows: the limit that most servers announce. */
export const STREAMS_MAX = 100;
/** Windows for answers: large, since what comes in is thrown away at once; topped up when half is used. */
const STREAM_WINDOW_BYTES = 1 << 20;
const CONNECTION_WINDOW_BYTES = 1 << 24;
/** What {@link Connector} hears from undici's client otherwise: the address is its own knowledge. */
const CONNECT_OPTIONS = { allowH2: true } as unknown as Parameters<Connector["open"]>[0];

/** An answer that is none. */
const MALFORMED = breachCode("PROTOCOL_ERROR");

const SETTINGS = settingsFrame([
  [SETTING.headerTableSize, 0],
  [SETTING.enablePush, 0],
  [SETTING.initialWindowSize, STREAM_WINDOW_BYTES],
]);
const HELLO = Buffer.concat([PREFACE, SETTINGS, windowUpdateFrame(0, CONNECTION_WINDOW_BYTES - WINDOW_BYTES_DEFAULT)]);
const SETTINGS_ACK = frame(FRAME.settings, FLAG.ack, 0);
const PING = frame(FRAME.ping, 0, 0, Buffer.alloc(8));

/**
 * Why a call got no answer: a fault, or a reason to send it again. `unprocessed`: the peer has told that it did not begin
 * with it, so any request may be repeated (RFC 9113, 8.7); `stale`: it met a connection closed for idleness, probably.
 */
export type H2Break = Fault | "unprocessed" | "stale";

/** What a connection reports to its transport. */
export interface H2Owner {
  opened(connection: H2Connection): void;
  /** It was not opened, and is gone. */
  failed(connection: H2Connection, code: string, fault: Fault): void;
  /** A stream may have become possible that was not before. */
  roomy(connection: H2Connection): void;
  answered(call: Call, status: number, headers: readonly string[] | undefined): void;
  broke(call: Call, code: string, why: H2Break): void;
  /** It was open, and is gone. */
  closed(connection: H2Connection): void;
}

export interface H2Limits {
  /** Streams after which the connection is retired; undefined: as many as there are numbers for. */
  readonly maxRequests: number | undefined;
  readonly maxResponseBytes: number;
}

export class H2Connection implements FrameSink, StreamCarrier {
  /** Whether the transport has it in its queue of connections with room. */
  listed = false;
  readonly #connector: Connector;
  readonly #owner: H2Owner;
  readonly #request: H2Request;
  readonly #limits: H2Limits;
  readonly #reader = new FrameReader(this);
  readonly #block = new HeaderBlock();
  readonly #liveness = new Liveness();
  readonly #output = new FrameOutput(() => this.#drained());
  readonly #bodies: BodySender;
  readonly #streams: Map<number, H2Stream> = new Map();
  readonly #gone: Promise<void>;
  #socket: Socket | undefined;
  #state: "opening" | "open" | "retired" | "closed" = "opening";
  #error: Error | undefined;
  #nextId = 1;
  #limit = STREAMS_MAX;
  /** Streams below this number were sent before the peer lowered its limit. */
  #loweredAtId = 0;
  #goaway: H2ErrorName | undefined;
  #byPeer = false;
  #streamWindowBytes = WINDOW_BYTES_DEFAULT;
  #owed = 0;

  constructor(owner: H2Owner, request: H2Request, limits: H2Limits, connector: Connector) {
    this.#owner = owner;
    this.#request = request;
    this.#limits = limits;
    this.#connector = connector;
    this.#bodies = new BodySender(request.body, this.#output);
    this.#gone = new Promise((gone) => {
      connector.open(CONNECT_OPTIONS, (error, socket) => {
        if (socket === null) {
          this.#error ??= error ?? undefined;
          this.#end();
          gone();
        } else this.#connected(socket, gone);
      });
    });
  }

  get hasRoom(): boolean {
    return this.#state === "open" && this.#streams.size < this.#limit && !this.#output.stuffed;
  }

  /** The most streams at once: our bound or the peer's. */
  get limit(): number {
    return this.#limit;
  }

  /** How long it has existed, its opening included. */
  get ageSeconds(): number {
    return this.#liveness.ageSeconds;
  }

  /** Whether it has carried a request. */
  get used(): boolean {
    return this.#nextId > 1;
  }

  /** Whether it was the peer that closed it, or told that it would. */
  get closedByPeer(): boolean {
    return this.#byPeer;
  }

  /** Sends the request on a stream of its own; there must be room. */
  start(call: Call): void {
    const now = monotonicSeconds();
    if (this.#streams.size === 0) this.#liveness.busy(now);
    const stream = new H2Stream(this, this.#nextId, call, now, this.#streamWindowBytes);
    const own = this.#request.attemptHeaders.of(call);
    const { headers, firstHeaders } = own === undefined ? this.#request : withHeaders(this.#request, own);
    const block = this.used ? headers : firstHeaders;
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    call.lane = stream;
    this.#output.push(forStream(block, stream.id));
    this.#bodies.begin(stream);
    const { maxRequests } = this.#limits;
    const carried = (this.#nextId - 1) / 2;
    if (this.#nextId > STREAM_ID_MAX || (maxRequests !== undefined && carried >= maxRequests)) this.#retire();
  }

  /** Gives the call of the stream up; the connection and its other streams go on. */
  cancel(stream: H2Stream): void {
    this.#reset(stream, "CANCEL");
    const suspicion = this.#liveness.suspect(stream.startedSeconds);
    if (suspicion === "ask") this.#output.push(PING);
    else if (suspicion === "dead") this.#die(timedOut("The connection is dead"));
    this.#freed();
  }

  /** Gives up a connection that is still opening, as if it had failed. */
  giveUp(): void {
    this.#die(timedOut("The connection took too long to open"));
  }

  /** Ends it, and tells nobody. */
  async destroy(): Promise<void> {
    const open = this.#state === "open" || this.#state === "retired";
    this.#state = "closed";
    this.#streams.clear();
    if (open) {
      this.#socket?.write(goawayFrame("NO_ERROR"));
      this.#socket?.destroy();
    } else this.#connector.abandon();
    await this.#gone;
  }

  frame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (this.#state === "closed") return;
    if (this.#state === "opening" && (type !== FRAME.settings || (flags & FLAG.ack) !== 0)) throw noH2();
    if (this.#block.open && (type !== FRAME.continuation || streamId !== this.#block.streamId)) {
      throw protocolError("A frame within a header block");
    }
    switch (type) {
      case FRAME.headers:
        this.#checkStream(streamId);
        this.#block.begin(flags, streamId, payload);
        this.#headers();
        return;
      case FRAME.continuation:
        this.#block.add(flags, payload);
        this.#headers();
        return;
      case FRAME.rstStream:
        this.#checkStream(streamId);
        this.#wasReset(streamId, errorName(uint32(payload, 0, 4)));
        return;
      case FRAME.settings:
        if ((flags & FLAG.ack) === 0) this.#settings(payload);
        return;
      case FRAME.ping:
        if (payload.length !== 8) throw new H2ProtocolError("FRAME_SIZE_ERROR", "A PING that is not of 8 bytes");
        if ((flags & FLAG.ack) === 0) this.#output.push(frame(FRAME.ping, FLAG.ack, 0, payload));
        return;
      case FRAME.goaway:
        this.#goesAway(uint32(payload, 0) & STREAM_ID_MAX, errorName(uint32(payload, 4)));
        return;
      case FRAME.windowUpdate:
        this.#windowUpdate(streamId, uint32(payload, 0, 4) & STREAM_ID_MAX);
        return;
      case FRAME.pushPromise:
        throw protocolError("A push that we did not allow");
      default:
      // Priorities are of no use here, and unknown types are to be passed over (RFC 9113, 5.5).
    }
  }

  data(flags: number, streamId: number, bytes: number, last: boolean): void {
    if (this.#state === "closed") return;
    if (this.#state === "opening") throw noH2();
    if (this.#block.open) throw protocolError("A body within a header block");
    this.#checkStream(streamId);
    this.#owed += bytes;
    if (this.#owed >= CONNECTION_WINDOW_BYTES / 2) {
      this.#output.push(windowUpdateFrame(0, this.#owed));
      this.#owed = 0;
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    if (stream.status === 0) {
      this.#break(stream, MALFORMED, "other");
      return;
    }
    stream.bytes += bytes;
    if (stream.bytes > this.#limits.maxResponseBytes) {
      this.#break(stream, "UND_ERR_RES_EXCEEDED_MAX_SIZE", "other");
      return;
    }
    if (last && (flags & FLAG.endStream) !== 0) {
      this.#answered(stream);
      return;
    }
    stream.owed += bytes;
    if (stream.owed < STREAM_WINDOW_BYTES / 2) return;
    this.#output.push(windowUpdateFrame(streamId, stream.owed));
    stream.owed = 0;
  }

  #connected(socket: Socket, gone: () => void): void {
    this.#socket = socket;
    socket.on("error", (error) => {
      this.#error ??= error;
    });
    socket.once("close", () => {
      this.#byPeer = true;
      this.#end();
      gone();
    });
    if ((socket as { alpnProtocol?: unknown }).alpnProtocol !== "h2") {
      this.#die(noH2());
      return;
    }
    socket.on("data", (chunk: Buffer) => this.#received(chunk));
    socket.on("end", () => socket.destroy());
    this.#output.attach(socket);
    socket.write(HELLO);
  }

  #received(chunk: Buffer): void {
    this.#liveness.received();
    try {
      this.#reader.read(chunk);
    } catch (error) {
      if (!(error instanceof H2ProtocolError)) throw error;
      this.#fail(error);
    }
  }

  /** The peer broke the protocol. */
  #fail(error: H2ProtocolError): void {
    if (this.#state === "closed") return;
    if (this.#state === "opening") {
      this.#die(noH2());
      return;
    }
    this.#socket?.write(goawayFrame(error.h2));
    this.#die(Object.assign(error, { code: breachCode(error.h2) }));
  }

  /** Ends it for a reason of ours. */
  #die(error: Error): void {
    this.#error ??= error;
    this.#end();
    this.#connector.abandon();
  }

  /** Streams are numbered by us: the peer can mean no other. */
  #checkStream(streamId: number): void {
    if (streamId % 2 === 0 || streamId >= this.#nextId) throw protocolError(`A frame of stream ${streamId}`);
  }

  #settings(payload: Buffer): void {
    if (payload.length % 6 !== 0) throw new H2ProtocolError("FRAME_SIZE_ERROR", "SETTINGS that are cut short");
    for (let at = 0; at < payload.length; at += 6)
      this.#setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#output.push(SETTINGS_ACK);
    if (this.#state !== "opening") {
      this.#drained();
      return;
    }
    this.#state = "open";
    this.#liveness.opened();
    this.#owner.opened(this);
  }

  #setting(id: number, value: number): void {
    switch (id) {
      case SETTING.maxConcurrentStreams:
        if (value < this.#streams.size) this.#loweredAtId = this.#nextId;
        this.#limit = Math.min(STREAMS_MAX, value);
        return;
      case SETTING.initialWindowSize:
        for (const stream of this.#streams.values()) stream.window.add(value - this.#streamWindowBytes);
        this.#streamWindowBytes = value;
        return;
      default:
      // We send frames of the smallest maximum, and use no table: nothing else concerns us.
    }
  }

  #headers(): void {
    if (this.#block.open) return;
    const { streamId, endStream } = this.#block;
    const block = this.#block.take();
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    if (block === undefined) {
      this.#break(stream, "UND_ERR_HEADERS_OVERFLOW", "other");
      return;
    }
    if (stream.status === 0) {
      const status = statusOf(block);
      const interim = status >= 100 && status < 200;
      if (status === 0 || (interim && endStream)) {
        this.#break(stream, MALFORMED, "other");
        return;
      }
      if (!interim) {
        stream.status = status;
        const { answerHeaders } = this.#request;
        if (answerHeaders !== undefined) stream.headers = answerHeaders.dated(fieldsOf(block, answerHeaders.wanted));
      }
    }
    if (endStream) this.#answered(stream);
  }

  #wasReset(streamId: number, name: H2ErrorName): void {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    this.#remove(stream);
    this.#freed();
    this.#owner.broke(stream.call, resetCode(name), this.#whyReset(stream, name));
  }

  #whyReset(stream: H2Stream, name: H2ErrorName): H2Break {
    switch (name) {
      case "REFUSED_STREAM":
        // Refused for a reason that we could not know of when we sent it, or refused for having too much to do.
        return this.#goaway !== undefined || stream.id < this.#loweredAtId ? "unprocessed" : "refused";
      case "ENHANCE_YOUR_CALM":
        return "refused";
      case "HTTP_1_1_REQUIRED":
        return "client";
      default:
        return "reset";
    }
  }

  #goesAway(lastId: number, name: H2ErrorName): void {
    this.#goaway = name;
    this.#byPeer = true;
    const unprocessed = [...this.#streams.values()].filter(({ id }) => id > lastId);
    for (const stream of unprocessed) this.#remove(stream);
    this.#retire();
    const why = name === "NO_ERROR" ? "unprocessed" : "refused";
    for (const { call } of unprocessed) this.#owner.broke(call, goawayCode(name), why);
  }

  #windowUpdate(streamId: number, bytes: number): void {
    if (bytes === 0) throw protocolError("A window that grows by 0");
    if (streamId === 0) this.#bodies.window.add(bytes);
    else {
      this.#checkStream(streamId);
      this.#streams.get(streamId)?.window.add(bytes);
    }
    this.#bodies.resume();
  }

  #answered(stream: H2Stream): void {
    // An answer may come before the whole request is out (RFC 9113, 8.1): what is left of it is of no use.
    if (this.#bodies.forget(stream)) this.#reset(stream, "CANCEL");
    else this.#remove(stream);
    this.#freed();
    this.#owner.answered(stream.call, stream.status, stream.headers);
  }

  /** What the peer sends on this stream is not wanted. */
  #break(stream: H2Stream, code: string, fault: Fault): void {
    this.#reset(stream, code === MALFORMED ? "PROTOCOL_ERROR" : "CANCEL");
    this.#freed();
    this.#owner.broke(stream.call, code, fault);
  }

  #reset(stream: H2Stream, error: H2ErrorName): void {
    if (!this.#streams.has(stream.id)) return;
    this.#remove(stream);
    this.#output.push(rstStreamFrame(stream.id, error));
  }

  #remove(stream: H2Stream): void {
    this.#streams.delete(stream.id);
    this.#bodies.forget(stream);
    if (this.#streams.size === 0) this.#liveness.idle();
  }

  #freed(): void {
    if (this.#state === "open") this.#owner.roomy(this);
    else if (this.#state === "retired" && this.#streams.size === 0) this.#leave();
  }

  #retire(): void {
    if (this.#state === "open") this.#state = "retired";
    if (this.#streams.size === 0) this.#leave();
  }

  /** Closes the connection in order: nothing is under way on it. */
  #leave(): void {
    if (this.#state !== "retired") return;
    this.#output.push(goawayFrame("NO_ERROR"));
    this.#output.flush();
    this.#end();
    const socket = this.#socket;
    socket?.end(() => socket.destroy());
    // A peer that reads no more must not keep us.
    socket?.unref();
  }

  #end(): void {
    const state = this.#state;
    if (state === "closed") return;
    this.#state = "closed";
    const { code, fault } = endOf(this.#error, this.#goaway);
    if (state === "opening") {
      this.#owner.failed(this, code, fault);
      return;
    }
    const why = this.#liveness.stale ? "stale" : fault;
    const streams = [...this.#streams.values()];
    for (const stream of streams) this.#remove(stream);
    this.#owner.closed(this);
    for (const { call } of streams) this.#owner.broke(call, code, why);
  }

  #drained(): void {
    if (this.#output.stuffed || this.#state === "closed" || this.#state === "opening") return;
    this.#bodies.resume();
    this.#owner.roomy(this);
  }
}

/** @param length the length that the payload must have, when only one is right. */
function uint32(payload: Buffer, at: number, length?: number): number {
  if (payload.length < at + 4 || (length !== undefined && payload.length !== length)) {
    throw new H2ProtocolError("FRAME_SIZE_ERROR", `A frame of ${payload.length} bytes`);
  }
  return payload.readUInt32BE(at);
}
