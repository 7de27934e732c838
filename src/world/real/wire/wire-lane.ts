/**
 * A lane of our own: one socket, one request at a time, the bytes of the request as they are, and a strict parser of answers
 * on the bytes as they come. Nothing is allocated for an attempt. What it costs is a third to a half of undici's request, and
 * what it does not do (pipelining, upgrades, decoding of bodies, redirects) no attempt of a benchmark wants.
 */

import type net from "node:net";
import type { Call } from "../../../engine/call.ts";
import type { RealWorldSpec } from "../../../engine/trial-spec.ts";
import { type AnswerHeaders, answerHeaders } from "../answer-headers.ts";
import { ConnectionUse } from "../connection-use.ts";
import type { ConnectionFactory, Connector } from "../connector.ts";
import { errorCodeOf, faultOf } from "../faults.ts";
import { HEAD_BYTES_MAX } from "../head-limit.ts";
import type { Lane, LaneMaker, LaneOwner } from "../lane.ts";
import { monotonicSeconds } from "../monotonic.ts";
import { type AnswerLimits, AnswerParser } from "./answer-parser.ts";
import { NextTurn } from "./next-turn.ts";
import { RequestBytes } from "./request-bytes.ts";

/** A target that says how long it keeps an idle connection closes it then: we use it no more a little before. */
const KEEP_ALIVE_MARGIN_SECONDS = 0.5;
/** Servers send one or two (103, 102); llhttp and undici know no bound. */
const INTERIMS_MAX = 16;
/** Of a request with headers that cannot be sent, as a policy of one's own may ask for. */
const REQUEST_FIELD = "H1_REQUEST_FIELD";

interface WireOptions {
  readonly request: RequestBytes;
  readonly limits: AnswerLimits;
  readonly answerHeaders: AnswerHeaders | undefined;
  readonly maxRequests: number;
  readonly nextTurn: NextTurn;
}

/** The lanes of a trial. @throws RangeError for a request that cannot be sent. */
export function wireLanes(spec: RealWorldSpec, factory: ConnectionFactory): LaneMaker {
  const options: WireOptions = {
    request: new RequestBytes(spec),
    limits: {
      headBytesMax: HEAD_BYTES_MAX,
      interimMax: INTERIMS_MAX,
      bodyBytesMax: spec.connections.maxResponseBytes,
    },
    answerHeaders: answerHeaders(spec.answerHeaders),
    maxRequests: spec.connections.maxRequests ?? Number.POSITIVE_INFINITY,
    nextTurn: new NextTurn(),
  };
  return (owner) => new WireLane(owner, options, factory);
}

class WireLane implements Lane {
  readonly #owner: LaneOwner;
  readonly #options: WireOptions;
  readonly #connector: Connector;
  readonly #parser: AnswerParser;
  readonly #use = new ConnectionUse();
  #call: Call | undefined;
  /** The present connection; undefined when there is none, or none any more. */
  #socket: net.Socket | undefined;
  /** The request of {@link #call} is on its connection. */
  #sent = false;
  /** The target keeps the connection until then, as far as it said. */
  #goodUntilSeconds = Number.POSITIVE_INFINITY;

  constructor(owner: LaneOwner, options: WireOptions, factory: ConnectionFactory) {
    this.#owner = owner;
    this.#options = options;
    this.#connector = factory.connector(this.#read);
    this.#parser = new AnswerParser(options.limits, options.answerHeaders);
  }

  openAhead(opened: (success: boolean) => void): void {
    this.#connector.connect(false, (_error, socket) => {
      if (socket !== null) {
        this.#adopt(socket);
        this.#use.openedAhead(monotonicSeconds());
      }
      opened(socket !== null);
    });
  }

  dispatch(call: Call): void {
    this.#call = call;
    if (this.#socket === undefined) this.#connector.connect(false, this.#connected);
    else this.#options.nextTurn.do(this.#sendOnKept);
  }

  cancel(): void {
    const sent = this.#sent;
    this.#call = undefined;
    this.#sent = false;
    // Who waits for a connection is told by it, and who waits for the next turn sees that there is no call any more.
    if (this.#connector.opening) this.#connector.abandon();
    else if (sent) {
      this.#leave();
      this.#connector.abandon();
      this.#owner.free(this);
    }
  }

  async close(): Promise<void> {
    this.#call = undefined;
    this.#sent = false;
    if (this.#connector.opening) this.#connector.abandon();
    const socket = this.#leave();
    if (socket === undefined || socket.closed) return;
    // In order: the target has done nothing to be reset for.
    await new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      socket.destroy();
    });
  }

  readonly #sendOnKept = (): void => {
    const call = this.#call;
    const socket = this.#socket;
    const now = monotonicSeconds();
    if (call === undefined) this.#owner.free(this);
    else if (socket?.writable === true && now < this.#goodUntilSeconds) this.#write(socket, call, now);
    else {
      this.#drop();
      this.#connector.connect(false, this.#connected);
    }
  };

  readonly #connected = (error: Error | null, socket: net.Socket | null): void => {
    if (socket !== null) this.#adopt(socket);
    const call = this.#call;
    if (call === undefined) this.#owner.free(this);
    else if (socket !== null) this.#write(socket, call, monotonicSeconds());
    else this.#fail(error as Error);
  };

  #adopt(socket: net.Socket): void {
    this.#socket = socket;
    this.#goodUntilSeconds = Number.POSITIVE_INFINITY;
    this.#use.ended();
    socket.on("error", (error) => this.#failed(socket, error));
    const ended = (): void => this.#ended(socket);
    socket.on("end", ended);
    // Not every runtime tells of each end by an event of its own.
    socket.on("close", ended);
  }

  #write(socket: net.Socket, call: Call, nowSeconds: number): void {
    const { request, maxRequests } = this.#options;
    this.#use.plan(maxRequests);
    const head = request.of(call, this.#use.isClosing);
    if (head === undefined) {
      this.#call = undefined;
      this.#owner.free(this);
      this.#owner.broke(call, REQUEST_FIELD, "client", false);
      return;
    }
    this.#parser.begin(request.bodiless);
    this.#sent = true;
    this.#owner.started(call, this.#use.started(nowSeconds));
    const { body } = request;
    if (body === undefined) socket.write(head);
    else {
      socket.cork();
      socket.write(head);
      socket.write(body);
      socket.uncork();
    }
  }

  readonly #read = (socket: net.Socket, bytes: Uint8Array, count: number): void => {
    if (socket !== this.#socket) return;
    // Nobody asked: whatever it is the answer to, it is none to the next request.
    if (!this.#sent) this.#drop();
    else this.#proceed(this.#parser.read(bytes, 0, count));
  };

  #proceed(state: ReturnType<AnswerParser["read"]>): void {
    switch (state) {
      case "reading":
        return;
      case "complete":
        this.#complete();
        return;
      case "refused":
        this.#refuse();
        return;
      default:
        unreachable(state);
    }
  }

  #complete(): void {
    const parser = this.#parser;
    const asked = this.#use.isClosing;
    const { keepAliveSeconds } = parser;
    // Who answers before it has read the whole request may never read the rest of it, nor what comes behind it.
    const isWritten = this.#options.request.body === undefined || this.#socket?.writableLength === 0;
    const kept = !asked && parser.persistent && isWritten && keepAliveSeconds > KEEP_ALIVE_MARGIN_SECONDS;
    const now = monotonicSeconds();
    this.#use.answered(now);
    if (kept) this.#goodUntilSeconds = now + keepAliveSeconds - KEEP_ALIVE_MARGIN_SECONDS;
    else {
      this.#drop();
      if (!asked && isWritten && parser.excessBytes === 0) this.#owner.closedByPeer();
    }
    const call = this.#release();
    this.#owner.free(this);
    if (call !== undefined) this.#owner.answered(call, parser.status, parser.headers);
  }

  /** What came is no answer, or not the whole of one. */
  #refuse(): void {
    const code = this.#parser.refusal;
    const fault = faultOf(code);
    this.#drop();
    this.#break(code, fault, fault === "reset" && this.#isStale());
  }

  /** The connection could not be opened. */
  #fail(error: Error): void {
    const code = errorCodeOf(error);
    this.#break(code, faultOf(code, error.message), false);
  }

  /** The connection ended in order. That may be the end of an answer too. */
  #ended(socket: net.Socket): void {
    if (socket !== this.#socket) return;
    if (this.#sent && this.#parser.end() === "complete") {
      this.#complete();
      return;
    }
    this.#owner.closedByPeer();
    if (this.#sent) this.#refuse();
    else this.#drop();
  }

  /** The connection ended with an error, such as a reset. */
  #failed(socket: net.Socket, error: Error): void {
    if (socket !== this.#socket) return;
    const code = errorCodeOf(error);
    const fault = faultOf(code, error.message);
    if (fault === "reset") this.#owner.closedByPeer();
    this.#drop();
    if (this.#sent) this.#break(code, fault, this.#isStale());
  }

  #isStale(): boolean {
    return !this.#parser.begun && this.#use.isStale(monotonicSeconds(), this.#connector.connectSeconds);
  }

  #break(code: string, fault: ReturnType<typeof faultOf>, stale: boolean): void {
    this.#use.freed(monotonicSeconds());
    const call = this.#release();
    this.#owner.free(this);
    if (call !== undefined) this.#owner.broke(call, code, fault, stale);
  }

  /** Ends the present connection, in order. */
  #drop(): void {
    this.#leave()?.destroy();
  }

  /** From now on there is no present connection. */
  #leave(): net.Socket | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    return socket;
  }

  #release(): Call | undefined {
    const call = this.#call;
    this.#call = undefined;
    this.#sent = false;
    return call;
  }
}

function unreachable(value: never): never {
  throw new Error(`Unknown state: ${String(value)}`);
}
