/**
 * Opens connections for undici, and ends them. Undici's own connector arms timers and resolves options anew for each
 * connection, which on Node doubles what a connection costs; under overload, when each time-out costs a connection, that
 * is most of the generator's work. Deadlines are the engine's, so plain TCP needs none of it.
 */

import net from "node:net";
import { buildConnector } from "undici/index.js";
import { monotonicSeconds } from "./monotonic.ts";

/** Frees the memory of a TLS handshake that hangs; the engine's deadline has given the attempt up long before. */
const TLS_TIMEOUT_MS = 60_000;

/** One for all: making an error with its stack for each of thousands of deadlines a second is a cost of its own. */
export const DEADLINE: Error = new Error("The deadline of the attempt has passed");

type Connect = (...args: Parameters<buildConnector.connector>) => net.Socket;

/** @param insecure accept certificates that do not verify. @returns a maker of connectors, one for each lane. */
export function connectorFor(url: URL, insecure: boolean): () => Connector {
  const connect = url.protocol === "https:" ? connectTls(insecure) : connectTcp(url);
  return () => new Connector(connect);
}

/** Opens the connections of one lane, one after the other. */
export class Connector {
  readonly #connect: Connect;
  #socket: net.Socket | undefined;
  #startedSeconds = 0;
  #connectSeconds = 0;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** How long the present connection took to open: about a round trip, or a few with TLS. */
  get connectSeconds(): number {
    return this.#connectSeconds;
  }

  readonly open: buildConnector.connector = (options, callback) => {
    this.#startedSeconds = monotonicSeconds();
    this.#socket = this.#connect(options, (...result) => {
      this.#connectSeconds = monotonicSeconds() - this.#startedSeconds;
      callback(...result);
    });
  };

  /**
   * Ends the present connection, open or still opening, so that undici reports the request on it as failed. An open one is
   * reset (RST), not closed, where the runtime lets us (not with TLS): a close by the client would leave its port in
   * TIME_WAIT for a minute, and 28,000 time-outs later, seconds of overload, this machine would have no port left.
   *
   * @returns false when there is none.
   */
  abandon(): boolean {
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return false;
    if (socket.connecting || "encrypted" in socket) socket.destroy(DEADLINE);
    else socket.resetAndDestroy();
    return true;
  }
}

function connectTls(insecure: boolean): Connect {
  const open = buildConnector({ timeout: TLS_TIMEOUT_MS, rejectUnauthorized: !insecure });
  // undici returns the socket at once, which its types do not say.
  return open as unknown as Connect;
}

function connectTcp(url: URL): Connect {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const options: net.TcpNetConnectOpts = {
    host,
    port: url.port === "" ? 80 : Number(url.port),
    noDelay: true,
    // A name may stand for addresses of both families, tried in turn (RFC 8305); a literal address is just one.
    autoSelectFamily: net.isIP(host) === 0,
  };
  return (_options, callback) => {
    const socket = net.connect(options);
    const refused = (error: Error): void => callback(error, null);
    socket.once("error", refused);
    socket.once("connect", () => {
      socket.off("error", refused);
      callback(null, socket);
    });
    return socket;
  };
}
