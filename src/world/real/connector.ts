/**
 * Opens connections for undici, and ends them. Undici's own connector arms timers and resolves options anew for each
 * connection, which on Node doubles what a connection costs; under overload, when each time-out costs a connection, that
 * is most of the generator's work. Deadlines are the engine's, so plain TCP needs none of it.
 */

import net from "node:net";
import { buildConnector } from "undici/index.js";

/** Frees the memory of a TLS handshake that hangs; the engine's deadline has given the attempt up long before. */
const TLS_TIMEOUT_MS = 60_000;

/** One for all: making an error with its stack for each of thousands of deadlines a second is a cost of its own. */
export const DEADLINE: Error = new Error("The deadline of the attempt has passed");

/** Opens the connections of one lane, one after the other. */
export interface Connector {
  readonly open: buildConnector.connector;
  /**
   * Ends the present connection, open or still opening, so that undici reports the request on it as failed.
   *
   * @returns false when there is none that can be ended from here.
   */
  abandon(): boolean;
}

/** @param insecure accept certificates that do not verify. */
export function connectorFor(url: URL, insecure: boolean): () => Connector {
  if (url.protocol === "https:") {
    const open = buildConnector({ timeout: TLS_TIMEOUT_MS, rejectUnauthorized: !insecure });
    return () => ({ open, abandon: () => false });
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const options: net.TcpNetConnectOpts = {
    host,
    port: url.port === "" ? 80 : Number(url.port),
    noDelay: true,
    // A name may stand for addresses of both families, tried in turn (RFC 8305); a literal address is just one.
    autoSelectFamily: net.isIP(host) === 0,
  };
  return () => new TcpConnector(options);
}

class TcpConnector implements Connector {
  readonly #options: net.TcpNetConnectOpts;
  #socket: net.Socket | undefined;

  constructor(options: net.TcpNetConnectOpts) {
    this.#options = options;
  }

  readonly open: buildConnector.connector = (_options, callback) => {
    const socket = net.connect(this.#options);
    this.#socket = socket;
    const refused = (error: Error): void => callback(error, null);
    socket.once("error", refused);
    socket.once("connect", () => {
      socket.off("error", refused);
      callback(null, socket);
    });
  };

  /**
   * Resets an open connection (RST) instead of closing it. A close by the client would leave its port in TIME_WAIT for a
   * minute: 28,000 time-outs, seconds of overload, and this machine would have no port left, or search long for one.
   */
  abandon(): boolean {
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return false;
    if (socket.connecting) socket.destroy(DEADLINE);
    else socket.resetAndDestroy();
    return true;
  }
}
