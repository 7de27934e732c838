/**
 * Opens connections, for undici and for the clients of our own, and ends them. Undici's own connector arms timers and
 * resolves options anew for each connection, which on Node doubles what a connection costs; under overload, when each
 * time-out costs a connection, that is most of the generator's work. Deadlines are the engine's, so none of it is needed.
 */

import type net from "node:net";
import type { TLSSocket } from "node:tls";
import type { buildConnector } from "undici/index.js";
import type { ConnectionSpec } from "../../engine/trial-spec.ts";
import { type Address, type AddressBook, type AddressSources, addressBookFor } from "./addresses.ts";
import { ConnectionCounters } from "./connection-counters.ts";
import { type Dial, dialFor, type SocketReader } from "./dial.ts";
import { errorCodeOf, faultOf } from "./faults.ts";
import { monotonicSeconds } from "./monotonic.ts";
import { lackOfFiles } from "./out-of-files.ts";

/** One for all: making an error with its stack for each of thousands of deadlines a second is a cost of its own. */
export const DEADLINE: Error = new Error("The deadline of the attempt has passed");

/** All that the connections to one target have in common. */
export class ConnectionFactory {
  readonly counters: ConnectionCounters;
  readonly addresses: AddressBook;
  readonly #dial: Dial;

  constructor(url: URL, spec: ConnectionSpec, sources: AddressSources = {}) {
    this.addresses = addressBookFor(url, spec, sources);
    this.#dial = dialFor(url, spec);
    this.counters = new ConnectionCounters(this.#dial.secure);
  }

  /**
   * @param reader gets the bytes of its connections, which then are no streams to be read.
   * @returns what opens the connections of one lane.
   */
  connector(reader?: SocketReader): Connector {
    return new Connector(this.#dial, this.addresses, this.counters, reader);
  }
}

/** What came of opening a connection: its socket, or the error. */
export type Opened = (error: Error | null, socket: net.Socket | null) => void;

/** The attempts that failed at one connection before the present one. */
interface Failures {
  readonly tried: Address[];
  /** The error to report, and how much it says. */
  error: unknown;
  weight: number;
}

/** Opens the connections of one lane, one after the other. */
export class Connector {
  readonly #dial: Dial;
  readonly #addresses: AddressBook;
  readonly #counters: ConnectionCounters;
  readonly #reader: SocketReader | undefined;
  /** Set while a connection is being opened. */
  #callback: Opened | undefined;
  #http2 = false;
  #address: Address | undefined;
  #socket: net.Socket | undefined;
  #failures: Failures | undefined;
  #answered = false;
  #abandoned = false;
  #startedSeconds = 0;
  #connectSeconds = 0;

  constructor(dial: Dial, addresses: AddressBook, counters: ConnectionCounters, reader?: SocketReader) {
    this.#dial = dial;
    this.#addresses = addresses;
    this.#counters = counters;
    this.#reader = reader;
  }

  /** How long the present connection took to open: about a round trip, or a few with TLS. */
  get connectSeconds(): number {
    return this.#connectSeconds;
  }

  /** Whether a connection is being opened now. */
  get opening(): boolean {
    return this.#callback !== undefined;
  }

  /** Whether somebody took the present connection, be it only to fail at TLS after that. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Whether the present connection was ended by {@link abandon}. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** {@link connect} as undici calls it. */
  readonly open: buildConnector.connector = (options, callback) => {
    // Undici hands its client's `allowH2` on, which its types do not say.
    this.connect((options as { allowH2?: boolean }).allowH2 === true, callback as Opened);
  };

  /**
   * Opens a connection. One at a time.
   *
   * @param http2 see {@link Dial.connect}.
   * @param callback called once, later than this.
   */
  connect(http2: boolean, callback: Opened): void {
    this.#counters.wanted += 1;
    this.#callback = callback;
    this.#http2 = http2;
    this.#failures = undefined;
    this.#abandoned = false;
    this.#startedSeconds = monotonicSeconds();
    const address = this.#addresses.first();
    if (address === undefined) this.#lookUp(callback);
    else this.#try(address);
  }

  /**
   * Ends the present connection, open or still opening, which whoever opened it is told as a failure. An open one is
   * reset (RST), not closed, where that can be done (not with TLS): a close by the client would leave its port in
   * TIME_WAIT for a minute, and 28,000 time-outs later, seconds of overload, this machine would have no port left.
   *
   * @returns false when there is none.
   */
  abandon(): boolean {
    const socket = this.#socket;
    if (this.#callback !== undefined) {
      if (socket !== undefined) this.#drop(socket);
      this.#counters.givenUp += 1;
      this.#abandoned = true;
      this.#end(DEADLINE);
      return true;
    }
    if (socket === undefined || socket.destroyed) return false;
    this.#abandoned = true;
    if (this.#dial.resettable) socket.resetAndDestroy();
    else socket.destroy(DEADLINE);
    return true;
  }

  #lookUp(callback: Opened): void {
    this.#socket = undefined;
    this.#addresses.known().then(
      () => {
        if (this.#callback === callback) this.#try(this.#addresses.first() as Address);
      },
      (error: unknown) => {
        if (this.#callback === callback) this.#fail(error);
      },
    );
  }

  #try(address: Address): void {
    this.#address = address;
    this.#answered = false;
    let socket: net.Socket;
    try {
      socket = this.#dial.connect(address.to, this.#http2, this.#reader);
    } catch (error) {
      this.#socket = undefined;
      // Whoever asked expects the answer later than the question.
      queueMicrotask(() => this.#failed(error));
      return;
    }
    this.#socket = socket;
    socket.once("error", this.#failed);
    socket.once(this.#dial.openedEvent, this.#opened);
    if (this.#dial.openedEvent !== "connect") socket.once("connect", this.#taken);
  }

  readonly #taken = (): void => {
    this.#answered = true;
  };

  readonly #opened = (): void => {
    const callback = this.#callback;
    const socket = this.#socket;
    if (callback === undefined || socket === undefined) return;
    socket.off("error", this.#failed);
    this.#answered = true;
    this.#connectSeconds = monotonicSeconds() - this.#startedSeconds;
    (this.#address as Address).opened += 1;
    this.#counters.connectionOpened();
    if (this.#dial.secure && (socket as TLSSocket).isSessionReused()) this.#counters.resumed += 1;
    socket.once("close", this.#counters.connectionClosed);
    this.#callback = undefined;
    callback(null, socket);
  };

  readonly #failed = (error: unknown): void => {
    if (this.#callback === undefined) return;
    const next = this.#answered ? undefined : this.#afterRefusal(error);
    if (next === undefined) this.#fail(this.#failures?.error ?? error);
    else this.#try(next);
  };

  /** Notes that the present address took no connection, and gives the next one to try. */
  #afterRefusal(error: unknown): Address | undefined {
    const address = this.#address as Address;
    const tried = this.#failures?.tried ?? [];
    tried.push(address);
    const next = this.#addresses.after(tried);
    if (next === undefined && tried.length === 1) return undefined;
    this.#addresses.refused(address);
    const weight = weightOf(error, address);
    if (this.#failures === undefined) this.#failures = { tried, error, weight };
    else if (weight > this.#failures.weight) Object.assign(this.#failures, { error, weight });
    return next;
  }

  #fail(error: unknown): void {
    this.#counters.failed += 1;
    if (lackOfFiles(errorCodeOf(error)) !== undefined) this.#counters.lackedFiles += 1;
    this.#end(forUndici(error));
  }

  #end(error: Error): void {
    const callback = this.#callback;
    this.#callback = undefined;
    callback?.(error, null);
  }

  /** Ends a connection that is being opened, and hears no more of it. */
  #drop(socket: net.Socket): void {
    socket.off("error", this.#failed);
    socket.off(this.#dial.openedEvent, this.#opened);
    if (this.#dial.openedEvent !== "connect") socket.off("connect", this.#taken);
    socket.on("error", ignore);
    socket.destroy();
  }
}

/**
 * How much an error says of several, one for each address: that of an address which took connections before says most (it
 * may be our ports that have run out), then a refusal, then what may only mean that this machine lacks the address's family.
 */
function weightOf(error: unknown, address: Address): number {
  if (address.opened > 0) return 2;
  return faultOf(errorCodeOf(error)) === "client" ? 0 : 1;
}

/**
 * Undici treats one code apart: at a name that does not fit the certificate it forgets to end the request that it fails,
 * and its client hangs. As a cause the code is still found by {@link errorCodeOf}.
 */
function forUndici(error: unknown): Error {
  const { code, message } = error as { code?: string; message: string };
  return code === "ERR_TLS_CERT_ALTNAME_INVALID" ? new Error(message, { cause: error }) : (error as Error);
}

/** A connection that was given up has nothing left to tell. */
function ignore(): void {}
