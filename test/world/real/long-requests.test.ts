/** Requests that take long to write: servers that read slowly, answer before they have read, or never do. */

import type net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { OK, Probe } from "../../support/probe.ts";
import { type RawServerOptions, rawServer } from "../../support/servers.ts";

const BODY = new Uint8Array(4_000_000).fill(0x61);
const SHORT = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const TOO_LARGE = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n";
/** Of a body, with its head, at least this was read. */
const SOME_BYTES = 100_000;

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

/** A server that is told of each piece, with the bytes of the connection so far, and a probe that sends it {@link BODY}. */
async function sending(
  onPiece: (socket: net.Socket, bytes: number) => void,
  options: RawServerOptions = {},
): Promise<Probe> {
  const read = new Map<net.Socket, number>();
  const server = await rawServer((socket, data) => {
    const bytes = (read.get(socket) ?? 0) + data.length;
    read.set(socket, bytes);
    onPiece(socket, bytes);
  }, options);
  const probe = new Probe(server.url, { world: { method: "POST", body: BODY } });
  closing.push(probe, server);
  return probe;
}

describe("a request of several megabytes", () => {
  it("is written whole to a server that reads it slowly, and the connection goes on", async () => {
    let pieces = 0;
    let answers = 0;
    const probe = await sending((socket, bytes) => {
      pieces += 1;
      if (pieces % 10 === 0) {
        socket.pause();
        setTimeout(() => socket.resume(), 2);
      }
      if (bytes < (answers + 1) * BODY.length) return;
      answers += 1;
      // The head is a few bytes more.
      setTimeout(() => socket.write(SHORT), 20);
    });
    expect(await probe.attempts(2, 20_000)).toEqual([OK, OK]);
    expect(probe.connections).toMatchObject({ opened: 1, reused: 1 });
  });

  it("is given up at its deadline when the server reads no more of it, and its connection with it", async () => {
    const sockets = new Set<net.Socket>();
    let reads = false;
    const probe = await sending((socket) => void (reads || socket.pause()), { sockets });
    expect(await probe.attempt(200)).toMatchObject({ fault: "timeout" });
    reads = true;
    for (const socket of sockets) socket.resume();
    await expect.poll(() => sockets.size).toBe(0);
    expect(probe.connections).toMatchObject({ opened: 1, closedByPeer: 0 });
  });

  it("is answered before it was read, by a server that then reads no more: the answer counts", async () => {
    let answered = false;
    const probe = await sending((socket) => {
      if (answered) return;
      answered = true;
      socket.pause();
      socket.write(TOO_LARGE);
    });
    expect(await probe.attempt()).toEqual({ status: 413, fault: "none", errorCode: "" });
  });

  it("meets a reset when the server breaks off while it is written", async () => {
    const probe = await sending((socket, bytes) => {
      if (bytes > SOME_BYTES) socket.resetAndDestroy();
    });
    expect(await probe.attempt()).toMatchObject({ status: 0, fault: "reset" });
    expect(probe.connections).toMatchObject({ opened: 1, closedByPeer: 1, stale: 0 });
  });
});
