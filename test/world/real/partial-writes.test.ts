/**
 * Requests that the connection does not take at once: a target that reads slowly, or not to the end, or that has had enough. What
 * each client makes of that, and of the connection.
 */

import { createHash } from "node:crypto";
import type net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Ended, OK, Probe, pause } from "../../support/probe.ts";
import { type RawServerOptions, rawServer } from "../../support/servers.ts";
import { TEST_CERTIFICATE, TEST_KEY } from "../../support/tls-certificate.ts";
import { byTransport, TRANSPORT } from "../../support/transports.ts";
import { PLAIN_CONNECTIONS } from "../../support/trial-spec.ts";

/** More than the buffers of a connection on loopback hold while nobody reads. */
const BODY: Uint8Array = Buffer.alloc(12_000_000, "The quick brown fox jumps over the lazy dog. ");
const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const TOO_LARGE = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n";
const EARLY: Ended = { status: 413, fault: "none", errorCode: "" };
const TIMEOUT: Ended = { status: 0, fault: "timeout", errorCode: "timeout" };
const HEAD_END = "\r\n\r\n".length;
/** What has not ended by then does not end. */
const STUCK_MS = 300;
/** A server that reads slowly takes a pause as long as this now and then. */
const READ_PAUSE_MS = 2;
const READ_PAUSE_BYTES = 500_000;

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

/** The requests that came on one connection. */
interface Arrived {
  /** Of the request that comes in now, its head included. */
  bytes: number;
  /** Of the head; 0 before it was read whole. */
  headBytes: number;
  /** Bodies that came whole, by their hash. */
  readonly bodies: string[];
  hash: ReturnType<typeof createHash>;
}

interface Serve {
  /** The head of the nth request has come, and more of its body or not. */
  readonly head?: (socket: net.Socket, requests: number) => void;
  /** The nth request has come whole. */
  readonly whole?: (socket: net.Socket, requests: number) => void;
  readonly slowly?: boolean;
}

interface Uploads {
  readonly probe: Probe;
  /** By connection. */
  readonly arrived: readonly Arrived[];
  readonly sockets: ReadonlySet<net.Socket>;
}

const answerWhole = (socket: net.Socket): void => void socket.write(ANSWER);

/** A server that takes requests with {@link BODY}, and a client that sends them. */
async function uploads(
  { head, whole = answerWhole, slowly = false }: Serve,
  options: Pick<RawServerOptions, "tls"> = {},
): Promise<Uploads> {
  const arrived: Arrived[] = [];
  const bySocket = new Map<net.Socket, Arrived>();
  const sockets = new Set<net.Socket>();
  let requests = 0;
  const onConnection = (socket: net.Socket): void => {
    const one = { bytes: 0, headBytes: 0, bodies: [], hash: createHash("sha256") };
    arrived.push(one);
    bySocket.set(socket, one);
  };
  const server = await rawServer(
    (socket, data) => {
      const one = bySocket.get(socket) as Arrived;
      take(one, data, {
        head() {
          requests += 1;
          head?.(socket, requests);
        },
        whole: () => whole(socket, requests),
      });
      if (slowly && one.bytes % READ_PAUSE_BYTES < data.length) rest(socket);
    },
    { ...options, sockets, onConnection },
  );
  const probe = new Probe(server.url, {
    world: { method: "POST", body: BODY },
    connections: { tls: { ...PLAIN_CONNECTIONS.tls, ca: TEST_CERTIFICATE } },
  });
  closing.push(probe, server);
  return { probe, arrived, sockets };
}

/** Reads a piece of what came on a connection: a part of a request, or the end of one and the beginning of the next. */
function take(one: Arrived, data: string, told: { head(): void; whole(): void }): void {
  if (one.headBytes === 0) {
    one.headBytes = data.indexOf("\r\n\r\n") + HEAD_END;
    told.head();
  }
  const end = one.headBytes + BODY.length - one.bytes;
  one.hash.update(data.slice(Math.max(0, one.headBytes - one.bytes), end), "latin1");
  one.bytes += data.length;
  if (data.length < end) return;
  one.bodies.push(one.hash.digest("hex"));
  Object.assign(one, { bytes: 0, headBytes: 0, hash: createHash("sha256") });
  told.whole();
  if (data.length > end) take(one, data.slice(end), told);
}

function rest(socket: net.Socket): void {
  socket.pause();
  setTimeout(() => socket.resume(), READ_PAUSE_MS);
}

/** Answers the head of the first request, and does so with the rest; the next request is answered as it should be. */
function early(fields: string, then: "reads" | "stops" | "ends"): Serve {
  return {
    head(socket, requests) {
      if (requests > 1) return;
      socket.write(`${TOO_LARGE}${fields}\r\n`);
      if (then === "stops") readNoMore(socket);
      if (then === "ends") socket.end();
    },
    whole(socket, requests) {
      if (requests > 1) socket.write(ANSWER);
    },
  };
}

/** Reads nothing from now on, not even the end. */
const readNoMore = (socket: net.Socket): void => void socket.pause();

const WHOLE = createHash("sha256").update(BODY).digest("hex");

describe(`over ${TRANSPORT}, a body of megabytes`, () => {
  it.each([
    ["TCP", {}],
    ["TLS", { tls: { key: TEST_KEY, cert: TEST_CERTIFICATE } }],
  ])("comes whole to a target that reads slowly, and the connection carries the next: %s", async (_name, options) => {
    const { probe, arrived } = await uploads({ slowly: true }, options);
    expect(await probe.attempts(2)).toEqual([OK, OK]);
    expect(arrived.map(({ bodies }) => bodies)).toEqual([[WHOLE, WHOLE]]);
    expect(probe.connections).toMatchObject({ opened: 1, reused: 1, closedByPeer: 0 });
  });

  it("goes on behind an interim answer", async () => {
    const { probe, arrived } = await uploads({
      head: (socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"),
      slowly: true,
    });
    expect(await probe.attempt()).toEqual(OK);
    expect(arrived.map(({ bodies }) => bodies)).toEqual([[WHOLE]]);
  });

  it("is given up at the deadline, and the next attempt is as if it had not been", async () => {
    const { probe, arrived, sockets } = await uploads({
      head: (socket, requests) => {
        if (requests === 1) readNoMore(socket);
      },
    });
    expect(await probe.attempt(100)).toEqual(TIMEOUT);
    await pause(20);
    expect(await probe.attempt()).toEqual(OK);
    for (const socket of sockets) socket.resume();
    await expect.poll(() => sockets.size).toBe(1);
    // Nobody waits for it: it is not sent on.
    expect(arrived.map(({ bodies }) => bodies)).toEqual([[], [WHOLE]]);
    expect(probe.connections).toMatchObject({ opened: 2, reused: 0, closedByPeer: 0, peak: 1 });
  });

  it("of which half is written when the transport is closed leaves no connection behind", async () => {
    const { probe, arrived, sockets } = await uploads({ head: readNoMore });
    const ended = probe.attempt(300);
    await expect.poll(() => sockets.size).toBe(1);
    await pause(50);
    expect(await ended).toEqual(TIMEOUT);
    await probe.close();
    for (const socket of sockets) socket.resume();
    await expect.poll(() => sockets.size).toBe(0);
    expect(arrived.map(({ bodies }) => bodies)).toEqual([[]]);
  });
});

describe(`over ${TRANSPORT}, an answer that comes before the request was read`, () => {
  it.each([
    ["and says that the connection ends, and the target reads on", "reads"],
    ["and says that the connection ends, and the target reads no more", "stops"],
    ["and the target ends the connection, but reads on", "ends"],
  ] as const)("is the answer: %s", async (_name, then) => {
    const { probe } = await uploads(early("Connection: close\r\n", then));
    expect(await probe.attempt()).toEqual(EARLY);
    await pause(20);
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, reused: 0, stale: 0, peak: 1 });
  });

  it.each(["reads", "stops"] as const)(
    "is the answer, and the connection could be kept: wire leaves it, undici writes on, whether the target %s or not",
    async (then) => {
      const { probe } = await uploads(early("", then));
      expect(await probe.attempt()).toEqual(EARLY);
      await pause(20);
      const isStuck = TRANSPORT === "undici" && then === "stops";
      const next = await probe.attempt(isStuck ? STUCK_MS : undefined);
      expect(next).toEqual(isStuck ? TIMEOUT : OK);
      const leaves = { opened: 2, reused: 0 };
      const keeps = { opened: 1, reused: 1 };
      expect(probe.connections).toMatchObject({ ...byTransport({ wire: leaves, undici: keeps }), closedByPeer: 0 });
    },
  );

  it("may be lost where the target resets the connection behind it: then it is a reset", async () => {
    const { probe } = await uploads({
      head(socket, requests) {
        if (requests > 1) return;
        readNoMore(socket);
        socket.write(`${TOO_LARGE}Connection: close\r\n\r\n`, () => socket.resetAndDestroy());
      },
    });
    const ended = await probe.attempt();
    expect([`${ended.status} ${ended.fault}`]).toEqual([expect.stringMatching(/^(413 none|0 reset)$/)]);
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, stale: 0 });
  });
});

describe(`over ${TRANSPORT}, an attempt whose request is half written meets a reset when the target`, () => {
  it.each([
    ["resets the connection", "resetAndDestroy", 0],
    ["resets it after a while", "resetAndDestroy", 50],
    ["closes it", "destroy", 0],
    ["ends it without an answer, and reads no more", "end", 0],
  ] as const)("%s", async (_name, how, afterMs) => {
    const { probe, arrived } = await uploads({
      head(socket, requests) {
        if (requests > 1) return;
        readNoMore(socket);
        setTimeout(() => socket[how](), afterMs);
      },
    });
    expect(await probe.attempt()).toMatchObject({ status: 0, fault: "reset" });
    expect(await probe.attempt()).toEqual(OK);
    expect(arrived.map(({ bodies }) => bodies)).toEqual([[], [WHOLE]]);
    expect(probe.connections).toMatchObject({ opened: 2, closedByPeer: 1, stale: 0, peak: 1 });
  });
});
