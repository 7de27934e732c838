/** Servers on loopback that behave as a test says, and are closed when it ends. */

import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import net from "node:net";
import tls from "node:tls";
import { TEST_CERTIFICATE, TEST_KEY } from "./tls-certificate.ts";

export interface TestServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function httpServer(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => void,
  options: http.ServerOptions = {},
  where: Pick<RawServerOptions, "host" | "port" | "unixPath"> = {},
): Promise<TestServer> {
  const server = http.createServer(options, handler);
  return await listening(server, () => server.closeAllConnections(), where);
}

/** The same over TLS, with a certificate for localhost and 127.0.0.1 that does not verify. */
export async function httpsServer(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => void,
  options: https.ServerOptions = {},
  where: Pick<RawServerOptions, "unixPath"> = {},
): Promise<TestServer> {
  const server = https.createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE, ...options }, handler);
  const { url, close } = await listening(server, () => server.closeAllConnections(), where);
  return { url: url.replace("http:", "https:"), close };
}

export interface RawServerOptions {
  /** The sockets that are open, for the test to look at. */
  readonly sockets?: Set<net.Socket>;
  readonly host?: string;
  readonly port?: number;
  /** A path to listen at, instead of an address. */
  readonly unixPath?: string;
  /** Speaks TLS. */
  readonly tls?: tls.TlsOptions;
  readonly onConnection?: (socket: net.Socket) => void;
}

/** A server below HTTP: `onRequest` gets the socket each time data comes in on it; `sockets` holds the open ones. */
export async function rawServer(
  onRequest: (socket: net.Socket, data: string) => void,
  options: RawServerOptions = {},
): Promise<TestServer> {
  const sockets = options.sockets ?? new Set();
  const serve = (socket: net.Socket): void => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (data) => onRequest(socket, data.toString("latin1")));
    options.onConnection?.(socket);
  };
  const server = options.tls === undefined ? net.createServer(serve) : tls.createServer(options.tls, serve);
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const { url, close } = await listening(server, destroyAll, options);
  return { url: options.tls === undefined ? url : url.replace("http:", "https:"), close };
}

/** A port on which nobody listens (somebody did a moment ago). */
export async function deadUrl(): Promise<string> {
  const server = await rawServer(() => {});
  await server.close();
  return server.url;
}

async function listening(
  server: net.Server,
  destroyAll: () => void,
  { host = "127.0.0.1", port: wanted = 0, unixPath }: RawServerOptions = {},
): Promise<TestServer> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(unixPath === undefined ? { host, port: wanted } : { path: unixPath }, resolve);
  });
  const port = unixPath === undefined ? (server.address() as AddressInfo).port : 80;
  return {
    url: unixPath === undefined ? `http://${host.includes(":") ? `[${host}]` : host}:${port}/` : "http://localhost/",
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        destroyAll();
      }),
  };
}
