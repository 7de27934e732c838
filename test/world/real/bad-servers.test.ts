/** Servers that break every rule: each attempt ends as what it was, the lane goes on, and no socket is left behind. */

import type net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startDeafServer } from "../../support/deaf-server.ts";
import { type Ended, OK, Probe, pause } from "../../support/probe.ts";
import { rawServer } from "../../support/servers.ts";
import { byTransport } from "../../support/transports.ts";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const HEAD_TOO_LONG = byTransport({ wire: "H1_HEAD_SIZE", undici: "UND_ERR_HEADERS_OVERFLOW" });
const BODY_TOO_LONG = byTransport({ wire: "H1_BODY_SIZE", undici: "UND_ERR_RES_EXCEEDED_MAX_SIZE" });
const NO_HTTP = "HTTPParserError";
const TIMEOUT: Ended = { status: 0, fault: "timeout", errorCode: "timeout" };

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

interface Encounter {
  readonly ended: Ended;
  readonly probe: Probe;
}

/**
 * An attempt at a server that misbehaves, then one after it has come to reason: which must be answered, on a lane and with
 * sockets as if nothing had been.
 */
async function encounter(
  misbehave: (socket: net.Socket) => void,
  { timeoutMs = 400, maxResponseBytes = 100_000, when = "request" as "request" | "connection" } = {},
): Promise<Encounter> {
  const sockets = new Set<net.Socket>();
  let bad = true;
  const server = await rawServer(
    (socket) => {
      if (!bad) socket.write(ANSWER);
      else if (when === "request") misbehave(socket);
    },
    {
      sockets,
      onConnection(socket) {
        if (bad && when === "connection") misbehave(socket);
      },
    },
  );
  const probe = new Probe(server.url, { connections: { maxResponseBytes } });
  closing.push(probe, server);
  const ended = await probe.attempt(timeoutMs);
  bad = false;
  await pause(5);
  expect(await probe.attempt()).toEqual(OK);
  expect(probe.connections.peak).toBeLessThanOrEqual(1);
  await probe.close();
  await expect.poll(() => sockets.size).toBe(0);
  expect(probe.givenUp).toBe(0);
  return { ended, probe };
}

/** Writes `text` for as long as the connection takes it. */
function forever(socket: net.Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else if (socket.writableLength < 1e6) socket.write(text);
  }, everyMs);
  socket.on("close", () => clearInterval(timer));
}

describe("an attempt ends with a clear code when", () => {
  it("the headers go on beyond 16 KiB", async () => {
    const { ended, probe } = await encounter(
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        forever(socket, `X-More: ${"y".repeat(1000)}\r\n`, 1);
      },
      { timeoutMs: 5000 },
    );
    expect(ended).toEqual({ status: 0, fault: "other", errorCode: HEAD_TOO_LONG });
    expect(probe.connections).toMatchObject({ opened: 2, closedByPeer: 0 });
  });

  it("one header's value goes on beyond 16 KiB", async () => {
    const { ended } = await encounter(
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nX-More: ");
        forever(socket, "y".repeat(1000), 1);
      },
      { timeoutMs: 5000 },
    );
    expect(ended).toEqual({ status: 0, fault: "other", errorCode: HEAD_TOO_LONG });
  });

  it.each([
    ["with a length", "HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n", "z".repeat(1000)],
    ["in chunks", CHUNKED, `3e8\r\n${"z".repeat(1000)}\r\n`],
    ["that the connection's end would delimit", "HTTP/1.1 200 OK\r\n\r\n", "z".repeat(1000)],
  ])("a body %s is longer than maxResponseBytes", async (_name, head, piece) => {
    const { ended, probe } = await encounter(
      (socket) => {
        socket.write(head);
        forever(socket, piece, 1);
      },
      { timeoutMs: 5000 },
    );
    expect(ended).toEqual({ status: 0, fault: "other", errorCode: BODY_TOO_LONG });
    expect(probe.connections).toMatchObject({ opened: 2, closedByPeer: 0 });
  });

  it.each([
    ["FIN", (socket: net.Socket) => socket.end()],
    ["RST", (socket: net.Socket) => socket.resetAndDestroy()],
  ])("the connection breaks (%s) in the middle of a body", async (_name, breakOff) => {
    for (const head of [
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nabc",
      `${CHUNKED}3\r\nabc\r\n`,
      `${CHUNKED.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")}3\r\nabc\r\n`,
      "HTTP/1.1 200 OK\r\nX-Half: ",
    ]) {
      const { ended, probe } = await encounter((socket) => {
        socket.write(head, () => setTimeout(() => breakOff(socket), 10));
      });
      expect(ended).toMatchObject({ fault: "reset" });
      expect(probe.connections).toMatchObject({ opened: 2, closedByPeer: 1 });
    }
  });

  it.each([
    ["HTTP/1.1 2000 OK\r\n\r\n", "H1_STATUS_LINE"],
    ["SSH-2.0-OpenSSH_9.2\r\n", "H1_STATUS_LINE"],
    ["\0\0\0\0", "H1_STATUS_LINE"],
    ["HTTP/9.9 200 OK\r\n\r\n", "H1_VERSION"],
  ])("the answer is no HTTP: %j", async (text, wire) => {
    const { ended } = await encounter((socket) => socket.write(text));
    expect(ended).toEqual({ status: 0, fault: "other", errorCode: byTransport({ wire, undici: NO_HTTP }) });
  });

  it("a connection that lay idle brings no HTTP: that is no stale connection, and nothing is sent again", async () => {
    let requests = 0;
    const { url, close } = await rawServer((socket) => {
      requests += 1;
      socket.write(requests === 1 ? ANSWER : "SSH-2.0-OpenSSH_9.2\r\n");
    });
    const probe = new Probe(url);
    closing.push(probe, { close });
    expect(await probe.attempt()).toEqual(OK);
    await pause(100);
    expect(await probe.attempt()).toEqual({
      status: 0,
      fault: "other",
      errorCode: byTransport({ wire: "H1_STATUS_LINE", undici: NO_HTTP }),
    });
    expect(requests).toBe(2);
    expect(probe.connections).toMatchObject({ stale: 0, reused: 1 });
  });

  it("the connection is closed right after it was accepted", async () => {
    const { ended, probe } = await encounter((socket) => socket.destroy(), { when: "connection" });
    expect(ended).toMatchObject({ status: 0, fault: "reset" });
    expect(probe.connections).toMatchObject({ opened: 2, closedByPeer: 1 });
  });
});

describe("an attempt ends at its deadline when", () => {
  it.each([
    ["the headers come drop by drop", "HTTP/1.1 200 OK\r\n", "X: y\r\n", 20],
    ["the body comes drop by drop", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "z", 20],
    ["chunks come drop by drop", CHUNKED, "1\r\nz\r\n", 20],
    ["chunk extensions never end", `${CHUNKED}1;`, "ext", 1],
    // Our own client has bounds where undici has none.
    ["the status line never ends", "HTTP/1.1 200 ", "OK ".repeat(300), 1, "H1_HEAD_SIZE"],
    ["informational answers never end", "", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".repeat(50), 1, "H1_INTERIMS"],
    ["nothing comes", "", "", 1000],
  ])("%s, if not before", async (_name, head, piece, everyMs, bound = "") => {
    const { ended, probe } = await encounter((socket) => {
      socket.write(head);
      forever(socket, piece, everyMs);
    });
    const refused: Ended = { status: 0, fault: "other", errorCode: bound };
    expect(ended).toEqual(bound === "" ? TIMEOUT : byTransport({ wire: refused, undici: TIMEOUT }));
    expect(probe.connections).toMatchObject({ wanted: 2, opened: 2, failed: 0, closedByPeer: 0 });
  });

  it("the target takes no connection at all", async () => {
    const deaf = await startDeafServer();
    const probe = new Probe(deaf.url);
    closing.push(deaf, probe);
    expect(await Promise.all([probe.attempt(300), probe.attempt(300), probe.attempt(300)])).toEqual(
      Array(3).fill(TIMEOUT),
    );
    expect(probe.connections).toMatchObject({ wanted: 3, opened: 0, failed: 0, peak: 0 });
    expect(probe.givenUp).toBe(3);
  });
});

describe("a connection", () => {
  it("that the target closes for idleness after 50 ms is replaced, and counted as closed by it", async () => {
    const { url, close } = await rawServer((socket) => {
      socket.write(ANSWER);
      setTimeout(() => socket.end(), 50);
    });
    const probe = new Probe(url);
    closing.push(probe, { close });
    for (let made = 1; made <= 4; made += 1) {
      expect(await probe.attempt()).toEqual(OK);
      await expect.poll(() => probe.connections.closedByPeer).toBe(made);
    }
    expect(probe.connections).toMatchObject({ wanted: 4, opened: 4, reused: 0, peak: 1, stale: 0 });
  });

  it.each([
    ["says that it is the last answer", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"],
    ["speaks HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"],
    ["delimits its answer by the end", "HTTP/1.1 200 OK\r\n\r\nok"],
  ])("is closed by the target when it %s", async (_name, answer) => {
    const { url, close } = await rawServer((socket) => socket.end(answer));
    const probe = new Probe(url);
    closing.push(probe, { close });
    expect(await probe.attempts(3)).toEqual([OK, OK, OK]);
    await expect.poll(() => probe.connections.closedByPeer).toBe(3);
    expect(probe.connections).toMatchObject({ opened: 3, reused: 0 });
  });

  it("that we gave up, or closed at the end, was not closed by the target", async () => {
    const { url, close } = await rawServer((socket, data) => {
      if (data.startsWith("GET /?a")) socket.write(ANSWER);
    });
    closing.push({ close });
    const quiet = new Probe(url);
    const answered = new Probe(`${url}?a`);
    expect(await quiet.attempt(50)).toEqual(TIMEOUT);
    expect(await answered.attempt()).toEqual(OK);
    await Promise.all([quiet.close(), answered.close()]);
    await pause(50);
    for (const probe of [quiet, answered]) {
      expect(probe.connections).toMatchObject({ wanted: 1, opened: 1, failed: 0, closedByPeer: 0, peak: 1 });
    }
  });
});
