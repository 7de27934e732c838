/** Servers on loopback that behave as a test says, and are closed when it ends. */

import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import net from "node:net";
import { TEST_CERTIFICATE, TEST_KEY } from "./tls-certificate.ts";

export interface TestServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function httpServer(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => void,
  options: http.ServerOptions = {},
): Promise<TestServer> {
  const server = http.createServer(options, handler);
  return await listening(server, () => server.closeAllConnections());
}

/** The same over TLS, with a certificate that does not verify. */
export async function httpsServer(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => void,
): Promise<TestServer> {
  const server = https.createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, handler);
  const { url, close } = await listening(server, () => server.closeAllConnections());
  return { url: url.replace("http:", "https:"), close };
}

/** A server below HTTP: `onRequest` gets the socket each time data comes in on it; `sockets` holds the open ones. */
export async function rawServer(
  onRequest: (socket: net.Socket, data: string) => void,
  sockets: Set<net.Socket> = new Set(),
): Promise<TestServer> {
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (data) => onRequest(socket, data.toString("latin1")));
  });
  return await listening(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** A port on which nobody listens (somebody did a moment ago). */
export async function deadUrl(): Promise<string> {
  const server = await rawServer(() => {});
  await server.close();
  return server.url;
}

async function listening(server: net.Server, destroyAll: () => void): Promise<TestServer> {
  await new Promise<void>((resolve) => {
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        destroyAll();
      }),
  };
}
