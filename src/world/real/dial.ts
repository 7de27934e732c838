/** The ways to a target: TCP, TLS, a Unix domain socket, TLS over one. */

import net from "node:net";
import tls from "node:tls";
import type { ConnectionSpec, TlsSpec } from "../../engine/trial-spec.ts";
import { hostOf, portOf } from "./addresses.ts";

/** Takes the bytes of a connection as they come, in a buffer that is used again: it keeps nothing of it. */
export type SocketReader = (socket: net.Socket, bytes: Uint8Array, count: number) => void;

export interface Dial {
  /**
   * Begins to connect.
   *
   * @param to an IP address, or the path of a Unix domain socket.
   * @param http2 offer HTTP/2 (ALPN), or speak it without asking where there is no TLS.
   * @param reader gets what comes; without one the socket is a stream to be read.
   */
  readonly connect: (to: string, http2: boolean, reader: SocketReader | undefined) => net.Socket;
  /** The event by which the socket says that it can be used. */
  readonly openedEvent: "connect" | "secureConnect";
  /** Whether such a connection can be reset: then its port is free at once. */
  readonly resettable: boolean;
  readonly secure: boolean;
}

/**
 * One for all connections of a thread: each piece is dealt with before the next is read. Reading so, without a stream's events
 * and a fresh buffer for each, spares Node 4 us of 15 a request and Deno 3.
 */
const READ_BYTES = 65_536;
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** @throws RangeError for a certificate or key that is none, where the runtime tells. */
export function dialFor(url: URL, spec: ConnectionSpec): Dial {
  const unix = spec.unixPath !== undefined;
  const port = portOf(url);
  if (url.protocol === "https:") return { connect: tlsConnect(url, spec.tls, unix), ...TLS };
  return unix ? { connect: plain((path) => ({ path })), ...UNIX } : { connect: plain(tcpOptions(port)), ...TCP };
}

const TCP = { openedEvent: "connect", resettable: true, secure: false } as const;
const UNIX = { openedEvent: "connect", resettable: false, secure: false } as const;
const TLS = { openedEvent: "secureConnect", resettable: false, secure: true } as const;

function tcpOptions(port: number): (host: string) => net.NetConnectOpts {
  return (host) => ({ host, port, noDelay: true });
}

function plain(optionsFor: (to: string) => net.NetConnectOpts): Dial["connect"] {
  return (to, http2, reader) => {
    const socket: net.Socket = net.connect({ ...optionsFor(to), ...reading(reader, () => socket) });
    // The property by which undici tells the protocols apart, as its own connector sets it.
    if (http2) Object.assign(socket, { alpnProtocol: "h2" });
    return socket;
  };
}

function tlsConnect(url: URL, spec: TlsSpec, unix: boolean): Dial["connect"] {
  const port = portOf(url);
  const host = hostOf(url);
  const common = {
    // Made once: reading the authorities anew is a fifth of what a connection costs.
    secureContext: secureContextOf(spec),
    rejectUnauthorized: !spec.insecure,
    // An address is no server name (RFC 6066, 3): it is not asked for, and verified as what we connected to.
    servername: spec.serverName ?? (net.isIP(host) === 0 ? host : ""),
  };
  /** The last session that the target gave us: resuming it spares both sides most of the handshake. */
  let session: Buffer | undefined;
  const keep = (given: Buffer): void => {
    session = given;
  };
  return (to, http2, reader) => {
    const socket: tls.TLSSocket = tls.connect({
      ...common,
      ...reading(reader, () => socket),
      ...(unix ? { path: to, host } : { host: to, port }),
      ...(session === undefined ? {} : { session }),
      ALPNProtocols: http2 ? ["h2", "http/1.1"] : ["http/1.1"],
    });
    socket.on("session", keep);
    if (!unix) socket.setNoDelay(true);
    return socket;
  };
}

/** The option that reads into {@link readBuffer}. Node's types have it for plain sockets only. */
function reading(reader: SocketReader | undefined, socket: () => net.Socket): { readonly onread?: net.OnReadOpts } {
  if (reader === undefined) return {};
  return {
    onread: {
      buffer: readBuffer,
      callback(count, bytes) {
        reader(socket(), bytes, count);
        return true;
      },
    },
  };
}

function secureContextOf({ ca, cert, key }: TlsSpec): tls.SecureContext {
  try {
    return tls.createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  } catch (error) {
    throw new RangeError(
      `Cannot connect as 'tls' must hold certificates and the key of its own one in PEM: ${(error as Error).message}`,
    );
  }
}
