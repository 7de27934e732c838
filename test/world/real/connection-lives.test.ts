/** What becomes of connections to servers that speak first, end what lies idle, or go on when all is over. */

import type net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Ended, OK, Probe, type ProbeOptions, pause } from "../../support/probe.ts";
import { rawServer } from "../../support/servers.ts";
import { byTransport, TRANSPORT } from "../../support/transports.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";
const ANSWER = `${HEAD}Content-Length: 2\r\n\r\nok`;
const UNASKED = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
const GOODBYE = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const TIMEOUT: Ended = { status: 0, fault: "timeout", errorCode: "timeout" };
/** So long a connection must lie idle before a break of it can be the work of a target that had given it up. */
const IDLE_MS = 80;

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

interface Server {
  /** The nth request has come. Answers it by default. */
  readonly request?: (socket: net.Socket, requests: number) => void;
  /** The nth connection has come. */
  readonly connection?: (socket: net.Socket, connections: number) => void;
}

async function probing({ request, connection }: Server, options: ProbeOptions = {}): Promise<Probe> {
  let requests = 0;
  let connections = 0;
  const server = await rawServer(
    (socket) => {
      requests += 1;
      if (request === undefined) socket.write(ANSWER);
      else request(socket, requests);
    },
    {
      onConnection(socket) {
        connections += 1;
        connection?.(socket, connections);
      },
    },
  );
  const probe = new Probe(server.url, options);
  closing.push(probe, server);
  await probe.transport.prepare();
  return probe;
}

/** Does so with the first, and with no other. */
const once =
  (act: (socket: net.Socket) => void) =>
  (socket: net.Socket, nth: number): void => {
    if (nth === 1) act(socket);
  };

/** Does so with the nth request, and answers the others. */
const at =
  (nth: number, act: (socket: net.Socket) => void) =>
  (socket: net.Socket, requests: number): void => {
    if (requests === nth) act(socket);
    else socket.write(ANSWER);
  };

const PREOPENED: ProbeOptions = { connections: { preopen: 1 } };

describe(`over ${TRANSPORT}, a connection that was opened ahead is not used when the target`, () => {
  it.each<readonly [string, (socket: net.Socket) => void, number]>([
    ["speaks before it was asked", (socket) => socket.write(UNASKED), 0],
    ["says goodbye, and ends it", (socket) => socket.end(GOODBYE), 0],
    ["ends it", (socket) => socket.end(), 1],
    ["resets it", (socket) => socket.resetAndDestroy(), 1],
  ])("%s", async (_what, act, closedByPeer) => {
    const probe = await probing({ connection: once((socket) => void setTimeout(() => act(socket), 5)) }, PREOPENED);
    await pause(30);
    expect(await probe.attempts(2)).toEqual([OK, OK]);
    expect(probe.connections).toMatchObject({ preopened: 1, opened: 2, reused: 1, closedByPeer, stale: 0, peak: 1 });
  });
});

describe(`over ${TRANSPORT}, a kept connection is not used again when the target`, () => {
  it.each<readonly [string, (socket: net.Socket) => void, number]>([
    ["says goodbye, and ends it", (socket) => socket.end(GOODBYE), 0],
    ["ends its side of it, and would read on", (socket) => socket.end(), 1],
    ["resets it", (socket) => socket.resetAndDestroy(), 1],
  ])("%s", async (_what, act, closedByPeer) => {
    const request = (socket: net.Socket, requests: number): void => {
      socket.write(ANSWER);
      if (requests === 1) setTimeout(() => act(socket), 5);
    };
    const probe = await probing({ request });
    expect(await probe.attempt()).toEqual(OK);
    await pause(30);
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, reused: 0, closedByPeer, stale: 0, peak: 1 });
  });

  it("has not answered in time: what comes late is no answer to the next request", async () => {
    const probe = await probing({ request: at(1, (socket) => void setTimeout(() => socket.write(UNASKED), 70)) });
    expect(await probe.attempt(50)).toEqual(TIMEOUT);
    expect(await probe.attempts(2)).toEqual([OK, OK]);
    await pause(50);
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, reused: 2, closedByPeer: 0, stale: 0 });
  });
});

describe(`over ${TRANSPORT}, a break in the place of an answer on a connection that lay idle`, () => {
  it.each<readonly [string, (socket: net.Socket) => void, Ended["fault"]]>([
    ["is a stale connection: FIN", (socket) => socket.end(), "stale"],
    ["is a stale connection: RST", (socket) => socket.resetAndDestroy(), "stale"],
    ["is a reset, when an interim answer came", (socket) => socket.end("HTTP/1.1 103 Early Hints\r\n\r\n"), "reset"],
    [
      "is a reset, when a part of the answer came, of which undici does not tell",
      (socket) => socket.end("HTTP/1.1 20"),
      byTransport({ wire: "reset", undici: "stale" }),
    ],
    ["is a reset, when it takes its time", (socket) => void setTimeout(() => socket.end(), 100), "reset"],
  ])("%s", async (_what, act, fault) => {
    const encounter = async (): Promise<string> => {
      const probe = await probing({ request: at(2, act) });
      expect(await probe.attempt()).toEqual(OK);
      await pause(IDLE_MS);
      const ended = await probe.attempt();
      expect(await probe.attempt()).toEqual(OK);
      const stale = ended.fault === "stale" ? 1 : 0;
      expect(probe.connections).toMatchObject({ opened: 2, reused: 1, closedByPeer: 1, stale });
      return ended.fault;
    };
    // On a machine that stands still for a moment, a break shows too late to be told from a reset: a few tries.
    if (fault === "stale") await expect.poll(encounter, { timeout: 5000 }).toBe("stale");
    else expect(await encounter()).toBe(fault);
  });

  it("is a reset, when the request may not be sent twice", async () => {
    const probe = await probing({ request: at(2, (socket) => socket.end()) }, { world: { method: "POST" } });
    expect(await probe.attempt()).toEqual(OK);
    await pause(IDLE_MS);
    expect(await probe.attempt()).toMatchObject({ status: 0, fault: "reset" });
    expect(probe.connections).toMatchObject({ closedByPeer: 1, stale: 0 });
  });
});

describe(`over ${TRANSPORT}, a body that the connection's end delimits`, () => {
  it("is whole when that is a FIN", async () => {
    const probe = await probing({
      request: (socket) => socket.write(`${HEAD}\r\nok`, () => setTimeout(() => socket.end(), 10)),
    });
    expect(await probe.attempts(2)).toEqual([OK, OK]);
    await expect.poll(() => probe.connections.closedByPeer).toBe(2);
  });

  it("is cut when that is a RST: but for undici, which takes it for whole", async () => {
    const act = (socket: net.Socket): void =>
      void socket.write(`${HEAD}\r\nok`, () => setTimeout(() => socket.resetAndDestroy(), 10));
    const probe = await probing({ request: at(1, act) });
    const cut = { status: 0, fault: "reset", errorCode: "ECONNRESET" };
    expect(await probe.attempt()).toEqual(byTransport({ wire: cut, undici: OK }));
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, closedByPeer: 1, stale: 0 });
  });
});
