/** HTTP/2 servers on loopback: the runtime's own, and one that does with frames whatever a test says. */

import http2, { type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import net from "node:net";
import { FrameReader } from "../../src/world/real/http2/frame-reader.ts";
import { FLAG, FRAME, frame, PREFACE, settingsFrame } from "../../src/world/real/http2/frames.ts";
import type { TestServer } from "./servers.ts";
import { TEST_CERTIFICATE, TEST_KEY } from "./tls-certificate.ts";

type OnStream = (stream: ServerHttp2Stream, path: string, headers: http2.IncomingHttpHeaders) => void;

/** The runtime's own server, without TLS (prior knowledge). */
export async function h2Server(onStream: OnStream, options: http2.ServerOptions = {}): Promise<TestServer> {
  return await serving(http2.createServer(options), onStream, "http");
}

/** The same over TLS, with a certificate that does not verify. */
export async function h2SecureServer(onStream: OnStream, options: http2.SecureServerOptions = {}): Promise<TestServer> {
  const tls = { ...options, key: TEST_KEY, cert: TEST_CERTIFICATE };
  return await serving(http2.createSecureServer(tls), onStream, "https");
}

/** Answers `status` and a body of two bytes. */
export function answer(stream: ServerHttp2Stream, status = 200): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond({ ":status": status });
  stream.end("ok");
}

async function serving(
  server: http2.Http2Server | http2.Http2SecureServer,
  onStream: OnStream,
  scheme: string,
): Promise<TestServer> {
  // Not their sessions: those of the runtimes do not all end while a stream has something to send.
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("session", (session) => session.on("error", () => {}));
  server.on("sessionError", () => {});
  server.on("stream", (stream: ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    stream.on("error", () => {});
    onStream(stream, String(headers[":path"]), headers);
  });
  await new Promise<void>((resolve) => {
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** One connection at a server of frames. */
export interface FramePeer {
  /** 0 for the first connection. */
  readonly index: number;
  readonly socket: net.Socket;
  send(type: number, flags: number, streamId: number, payload?: Buffer): void;
  /** Answers a stream: 200, no body. */
  ok(streamId: number): void;
}

export interface FrameServerOptions {
  /** Settings to begin with: pairs of identifier and value. */
  readonly settings?: readonly (readonly [number, number])[];
  readonly onFrame?: (peer: FramePeer, type: number, flags: number, streamId: number, payload: Buffer) => void;
  readonly onData?: (peer: FramePeer, streamId: number, bytes: number, ended: boolean) => void;
}

/** A `:status: 200` in HPACK: entry 8 of the static table. */
export const STATUS_200: Buffer = Buffer.from([0x88]);

export async function frameServer(options: FrameServerOptions): Promise<TestServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ noDelay: true }, (socket) => {
    const index = sockets.size;
    sockets.add(socket);
    socket.on("error", () => {});
    const peer: FramePeer = {
      index,
      socket,
      send: (type, flags, streamId, payload) => socket.write(frame(type, flags, streamId, payload)),
      ok: (streamId) => socket.write(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, streamId, STATUS_200)),
    };
    const reader = new FrameReader({
      frame: (type, flags, streamId, payload) => options.onFrame?.(peer, type, flags, streamId, payload),
      data: (flags, streamId, bytes, last) =>
        options.onData?.(peer, streamId, bytes, last && (flags & FLAG.endStream) !== 0),
    });
    let greeted = 0;
    socket.on("data", (data) => {
      const greeting = Math.min(PREFACE.length - greeted, data.length);
      greeted += greeting;
      if (greeting < data.length) reader.read(data.subarray(greeting));
    });
    socket.write(settingsFrame(options.settings ?? []));
  });
  await new Promise<void>((resolve) => {
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
