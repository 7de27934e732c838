/**
 * Opens connections for undici. Its own connector arms timers and resolves options anew for each connection, which on Node
 * doubles what a connection costs; under overload, when each time-out costs a connection, that is most of the generator's
 * work. Deadlines are the engine's, so plain TCP needs none of it.
 */

import net from "node:net";
import { buildConnector } from "undici/index.js";

/** Frees the memory of a TLS handshake that hangs; the engine's deadline has given the attempt up long before. */
const TLS_TIMEOUT_MS = 60_000;

/** @param insecure accept certificates that do not verify. */
export function connectorFor(url: URL, insecure: boolean): buildConnector.connector {
  if (url.protocol === "https:") {
    return buildConnector({ timeout: TLS_TIMEOUT_MS, rejectUnauthorized: !insecure });
  }
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
  };
}
