import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { FLAG, FRAME, SETTING } from "../../../../src/world/real/http2/frames.ts";
import { H2Client, type H2ClientOptions } from "../../../support/h2-client.ts";
import {
  answer,
  type FramePeer,
  frameServer,
  h2SecureServer,
  h2Server,
  STATUS_200,
} from "../../../support/h2-server.ts";
import { deadUrl, httpServer, httpsServer, rawServer, type TestServer } from "../../../support/servers.ts";

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A client of the server's, both closed when the test ends. */
function clientOf(server: TestServer | string, path = "", options: H2ClientOptions = {}): H2Client {
  const url = typeof server === "string" ? server : server.url;
  if (typeof server !== "string") endings.push(() => server.close().catch(() => {}));
  const client = new H2Client(`${url}${path}`, options);
  endings.push(() => client.transport.close());
  return client;
}

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

const OK = { status: 200, fault: "none", errorCode: "" };
const REFUSED_STREAM = uint32(7);

describe.each([
  ["h2c", h2Server],
  ["h2 over TLS", h2SecureServer],
] as const)("H2Transport against the runtime's own server, %s", (_name, serve) => {
  it("reports an answer's status", async () => {
    const client = clientOf(await serve((stream, path) => answer(stream, path === "/503" ? 503 : 200)), "503");
    expect(await client.get()).toMatchObject({ status: 503, fault: "none", errorCode: "" });
    expect(client.transport.connections).toMatchObject({ wanted: 1, opened: 1, failed: 0, reused: 0, peak: 1 });
  });

  it("runs as many streams at once as the peer allows on a connection, and opens more connections for more", async () => {
    let under = 0;
    let most = 0;
    const client = clientOf(
      await serve(
        (stream) => {
          under += 1;
          most = Math.max(most, under);
          setTimeout(() => {
            under -= 1;
            answer(stream);
          }, 50);
        },
        { settings: { maxConcurrentStreams: 10 } },
      ),
    );
    await client.get();
    const all = await client.many(35);
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(most).toBeGreaterThan(10);
    expect(client.transport.connections.opened).toBeGreaterThanOrEqual(3);
    expect(client.transport.connections.opened).toBeLessThanOrEqual(5);
  });

  it("gives up one stream without the others of its connection", async () => {
    const reset: string[] = [];
    const client = clientOf(
      await serve((stream) => {
        stream.on("close", () => reset.push(String(stream.rstCode)));
        setTimeout(() => answer(stream), 100);
      }),
    );
    const given = client.send();
    const other = client.send();
    await sleep(50);
    client.transport.cancel(given.call);
    expect(await other.ended).toMatchObject(OK);
    await expect.poll(() => reset.length).toBe(2);
    expect(reset).toContain("8");
    expect(client.transport.connections).toMatchObject({ opened: 1, closedByPeer: 0 });
  });

  it("sends a body larger than the peer's windows", async () => {
    const client = clientOf(
      await serve((stream, _path, headers) => {
        let bytes = 0;
        stream.on("data", (data: Buffer) => {
          bytes += data.length;
        });
        stream.on("end", () => answer(stream, bytes === 300_000 && headers["content-length"] === "300000" ? 200 : 400));
      }),
      "",
      { method: "POST", body: new Uint8Array(300_000) },
    );
    expect((await client.many(3)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("takes large bodies to their end", async () => {
    const client = clientOf(
      await serve((stream) => {
        stream.respond({ ":status": 200 });
        stream.end(Buffer.alloc(3_000_000));
      }),
      "",
      { connections: { maxResponseBytes: 1e7 } },
    );
    expect(await client.get()).toMatchObject(OK);
  });

  it("ends a body without end at the limit, and goes on with the connection", async () => {
    const client = clientOf(
      await serve((stream) => {
        stream.respond({ ":status": 200 });
        const part = Buffer.alloc(65_536);
        const more = (): void => {
          if (stream.closed || stream.destroyed) return;
          if (stream.write(part)) setImmediate(more);
          else stream.once("drain", more);
        };
        more();
      }),
    );
    const tooLong = { fault: "other", errorCode: "UND_ERR_RES_EXCEEDED_MAX_SIZE" };
    expect(await client.get()).toMatchObject(tooLong);
    expect(await client.get()).toMatchObject(tooLong);
    expect(client.transport.connections.opened).toBe(1);
  });

  it("sends the headers it was given, but those of HTTP/1.1 connections", async () => {
    let got: Record<string, unknown> = {};
    const client = clientOf(
      await serve((stream, _path, headers) => {
        got = { ...headers };
        answer(stream);
      }),
      "a?b=1",
      {
        headers: [
          ["X-Long", "y".repeat(9000)],
          ["Cookie", "a=b"],
          ["Connection", "keep-alive"],
          ["Host", "other.test"],
        ],
      },
    );
    expect(await client.get()).toMatchObject(OK);
    expect(await client.get()).toMatchObject(OK);
    expect(got).toMatchObject({
      ":path": "/a?b=1",
      ":authority": "other.test",
      cookie: "a=b",
      "x-long": "y".repeat(9000),
    });
    expect(got).not.toHaveProperty("connection");
  });

  it("opens connections ahead", async () => {
    const client = clientOf(await serve((stream) => answer(stream)), "", { connections: { preopen: 3 } });
    await client.transport.prepare();
    expect(client.transport.connections).toMatchObject({ opened: 3, preopened: 3, reused: 0 });
    expect((await client.many(6)).every(({ status }) => status === 200)).toBe(true);
    expect(client.transport.connections).toMatchObject({ opened: 3, reused: 3 });
  });

  it("closes connections that have carried what they may", async () => {
    const client = clientOf(await serve((stream) => answer(stream)), "", { connections: { maxRequests: 2 } });
    for (let request = 0; request < 5; request += 1) expect(await client.get()).toMatchObject(OK);
    expect(client.transport.connections).toMatchObject({ opened: 3, reused: 2, closedByPeer: 0 });
  });

  it("reports calls as reset when the server breaks its connection", async () => {
    let begun = 0;
    const server = await serve(() => {
      begun += 1;
    });
    const client = clientOf(server);
    const calls = client.many(3);
    await expect.poll(() => begun).toBe(3);
    await server.close();
    for (const { status, fault } of await calls) expect({ status, fault }).toEqual({ status: 0, fault: "reset" });
    expect(client.transport.connections.closedByPeer).toBe(1);
  });

  it("lets the streams end that were under way at a graceful GOAWAY, and opens another connection", async () => {
    let first = true;
    const client = clientOf(
      await serve((stream) => {
        if (first) {
          first = false;
          setTimeout(() => stream.session?.close(), 20);
        }
        setTimeout(() => answer(stream), 100);
      }),
    );
    const before = client.many(3);
    await sleep(70);
    expect(await client.get()).toMatchObject(OK);
    for (const ended of await before) expect(ended).toMatchObject(OK);
    await expect.poll(() => client.transport.connections).toMatchObject({ opened: 2, closedByPeer: 1 });
  });
});

describe("H2Transport against a server without HTTP/2", () => {
  const noH2 = { status: 0, fault: "client", errorCode: "ERR_NO_H2" };

  it("says so over TLS", async () => {
    const client = clientOf(await httpsServer((_request, response) => response.end()));
    expect(await client.get()).toMatchObject(noH2);
  });

  it("says so without TLS", async () => {
    const client = clientOf(await httpServer((_request, response) => response.end()));
    expect(await client.get()).toMatchObject(noH2);
  });

  it("says so of a server that answers anything with a short line", async () => {
    const client = clientOf(await rawServer((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\n")));
    expect(await client.get()).toMatchObject(noH2);
  });

  it("says that nobody listens where nobody does", async () => {
    const client = clientOf(await deadUrl());
    for (const ended of await client.many(3))
      expect(ended).toMatchObject({ fault: "refused", errorCode: "ECONNREFUSED" });
    await client.transport.prepare();
    expect(client.transport.connections).toMatchObject({ wanted: 1, failed: 1, opened: 0 });
  });
});

describe("H2Transport against a server of frames", () => {
  const headersOf = (then: (peer: FramePeer, streamId: number) => void) => ({
    onFrame(peer: FramePeer, type: number, _flags: number, streamId: number) {
      if (type === FRAME.headers) then(peer, streamId);
    },
  });

  it("takes a refused stream for a refusal, and goes on with the connection", async () => {
    const client = clientOf(
      await frameServer(
        headersOf((peer, streamId) => {
          if (streamId === 1) peer.send(FRAME.rstStream, 0, streamId, REFUSED_STREAM);
          else peer.ok(streamId);
        }),
      ),
    );
    expect(await client.get()).toMatchObject({ fault: "refused", errorCode: "H2_REFUSED_STREAM" });
    expect(await client.get()).toMatchObject(OK);
    expect(client.transport.connections.opened).toBe(1);
  });

  it("sends again what was refused because the limit had just been lowered", async () => {
    const client = clientOf(
      await frameServer({
        settings: [[SETTING.maxConcurrentStreams, 10]],
        ...headersOf((peer, streamId) => {
          if (peer.index > 0 || streamId === 1) {
            peer.ok(streamId);
            return;
          }
          if (streamId !== 7) return;
          const lower = Buffer.alloc(6);
          lower.writeUInt16BE(SETTING.maxConcurrentStreams, 0);
          lower.writeUInt32BE(1, 2);
          peer.send(FRAME.settings, 0, 0, lower);
          for (const id of [5, 7]) peer.send(FRAME.rstStream, 0, id, REFUSED_STREAM);
          peer.ok(3);
        }),
      }),
    );
    await client.get();
    const calls = [client.get(), client.get(), client.get()];
    for (const call of calls) expect(await call).toMatchObject(OK);
    expect(client.transport.connections.stale).toBe(2);
  });

  it.each(["GET", "POST"])("sends %s again, once, that a GOAWAY says was not begun with", async (method) => {
    const client = clientOf(
      await frameServer(
        headersOf((peer, streamId) => {
          if (peer.index === 0 && streamId === 5) {
            peer.send(FRAME.goaway, 0, 0, uint32(1, 0));
            peer.ok(1);
          } else if (peer.index > 0) peer.ok(streamId);
        }),
      ),
      "",
      { method },
    );
    const calls = [client.get(), client.get(), client.get()];
    for (const call of calls) expect(await call).toMatchObject(OK);
    expect(client.transport.connections).toMatchObject({ stale: 2, opened: 2, closedByPeer: 1 });
  });

  it("takes a GOAWAY with an error for what it says", async () => {
    const client = clientOf(
      await frameServer(
        headersOf((peer, streamId) => {
          if (streamId !== 3) return;
          peer.send(FRAME.goaway, 0, 0, uint32(1, 11));
          peer.socket.end();
        }),
      ),
    );
    const [begun, refused] = await client.many(2);
    expect(begun).toMatchObject({ fault: "reset", errorCode: "H2_GOAWAY_ENHANCE_YOUR_CALM" });
    expect(refused).toMatchObject({ fault: "refused", errorCode: "H2_GOAWAY_ENHANCE_YOUR_CALM" });
  });

  it("sends again what met a connection closed for idleness", async () => {
    const client = clientOf(
      await frameServer(
        headersOf((peer, streamId) => {
          if (peer.index === 0 && streamId === 3) peer.socket.destroy();
          else peer.ok(streamId);
        }),
      ),
    );
    expect(await client.get()).toMatchObject(OK);
    await sleep(80);
    expect(await client.get()).toMatchObject(OK);
    expect(client.transport.connections).toMatchObject({ stale: 1, opened: 2, closedByPeer: 1 });
  });

  it("does not send again a POST that met a connection closed for idleness: it may have been begun with", async () => {
    const client = clientOf(
      await frameServer(
        headersOf((peer, streamId) => {
          if (streamId === 3) peer.socket.destroy();
          else peer.ok(streamId);
        }),
      ),
      "",
      { method: "POST" },
    );
    expect(await client.get()).toMatchObject(OK);
    await sleep(80);
    expect(await client.get()).toMatchObject({ fault: "reset" });
    expect(client.transport.connections.stale).toBe(0);
  });

  it("asks a silent peer with a PING whether it is there, once, when a deadline passes", async () => {
    let pings = 0;
    let streams = 0;
    const client = clientOf(
      await frameServer({
        onFrame(_peer, type) {
          if (type === FRAME.ping) pings += 1;
          if (type === FRAME.headers) streams += 1;
        },
      }),
    );
    const calls = [client.send(), client.send()];
    await expect.poll(() => streams).toBe(2);
    for (const { call } of calls) client.transport.cancel(call);
    await expect.poll(() => pings).toBe(1);
    await sleep(30);
    expect(pings).toBe(1);
  });

  it("answers a PING, with the same bytes", async () => {
    const echoes: string[] = [];
    const client = clientOf(
      await frameServer({
        onFrame(peer, type, flags, streamId, payload) {
          if (type === FRAME.ping && (flags & FLAG.ack) !== 0) echoes.push(payload.toString());
          if (type === FRAME.headers) peer.ok(streamId);
          if (type === FRAME.settings && (flags & FLAG.ack) === 0) peer.send(FRAME.ping, 0, 0, Buffer.from("whoisit?"));
        },
      }),
    );
    expect(await client.get()).toMatchObject(OK);
    await expect.poll(() => echoes).toEqual(["whoisit?"]);
  });

  it("lets calls wait when the peer allows no stream, without opening connection after connection", async () => {
    let peer: FramePeer | undefined;
    const client = clientOf(
      await frameServer({
        settings: [[SETTING.maxConcurrentStreams, 0]],
        onFrame(from, type, _flags, streamId) {
          peer = from;
          if (type === FRAME.headers) from.ok(streamId);
        },
      }),
    );
    const calls = client.many(5);
    await sleep(100);
    expect(client.transport.connections.wanted).toBe(1);
    const allow = Buffer.alloc(6);
    allow.writeUInt16BE(SETTING.maxConcurrentStreams, 0);
    allow.writeUInt32BE(2, 2);
    peer?.send(FRAME.settings, 0, 0, allow);
    for (const ended of await calls) {
      expect(ended).toMatchObject(OK);
      expect(ended.waitSeconds).toBeGreaterThan(0.08);
    }
  });

  it("ends headers without end, and the connection with them", async () => {
    const client = clientOf(
      await frameServer(
        headersOf((peer, streamId) => {
          peer.send(FRAME.headers, 0, streamId, STATUS_200);
          const part = Buffer.alloc(16_000);
          const more = (): void => {
            if (peer.socket.destroyed) return;
            peer.send(FRAME.continuation, 0, streamId, part);
            setImmediate(more);
          };
          more();
        }),
      ),
    );
    expect(await client.get()).toMatchObject({ fault: "other", errorCode: "ERR_H2_ENHANCE_YOUR_CALM" });
  });

  it("gives up an answer whose headers are too long, and goes on with the connection", async () => {
    const client = clientOf(
      await frameServer(
        headersOf((peer, streamId) => {
          if (streamId === 3) {
            peer.ok(streamId);
            return;
          }
          peer.send(FRAME.headers, FLAG.endStream, streamId, STATUS_200);
          peer.send(FRAME.continuation, 0, streamId, Buffer.alloc(16_384));
          peer.send(FRAME.continuation, FLAG.endHeaders, streamId, Buffer.alloc(10));
        }),
      ),
    );
    expect(await client.get()).toMatchObject({ fault: "other", errorCode: "UND_ERR_HEADERS_OVERFLOW" });
    expect(await client.get()).toMatchObject(OK);
    expect(client.transport.connections.opened).toBe(1);
  });

  it("reads padded frames, interim answers, trailers and unknown frames", async () => {
    const client = clientOf(
      await frameServer(
        headersOf((peer, streamId) => {
          peer.send(0xfa, 0xff, streamId, Buffer.alloc(5));
          // 103 as a literal with the name's index: entry 8.
          peer.send(FRAME.headers, FLAG.endHeaders, streamId, Buffer.from([0x08, 3, 0x31, 0x30, 0x33]));
          peer.send(
            FRAME.headers,
            FLAG.endHeaders | FLAG.padded | FLAG.priority,
            streamId,
            Buffer.from([2, 0, 0, 0, 0, 16, 0x88, 0, 0]),
          );
          peer.send(FRAME.data, FLAG.padded, streamId, Buffer.from([3, 1, 0, 0, 0]));
          peer.send(FRAME.headers, FLAG.endHeaders | FLAG.endStream, streamId, Buffer.from([0, 1, 0x61, 1, 0x62]));
        }),
      ),
    );
    expect(await client.get()).toMatchObject(OK);
  });

  it.each([
    ["a push", (peer: FramePeer) => peer.send(FRAME.pushPromise, FLAG.endHeaders, 1, Buffer.alloc(5))],
    ["a stream that we did not begin", (peer: FramePeer) => peer.ok(99)],
    ["a frame too long", (peer: FramePeer) => peer.send(FRAME.settings, 0, 0, Buffer.alloc(16_386))],
    ["a window that grows by 0", (peer: FramePeer) => peer.send(FRAME.windowUpdate, 0, 1, uint32(0))],
    ["an index into a dynamic table", (peer: FramePeer) => peer.send(FRAME.headers, 5, 1, Buffer.from([0xbe]))],
  ])("ends the connection at %s", async (_what, breach) => {
    const client = clientOf(await frameServer(headersOf(breach)));
    const { status, fault, errorCode } = await client.get();
    expect({ status, fault }).toEqual({ status: 0, fault: "other" });
    expect(errorCode).toMatch(/^ERR_H2_/);
  });

  it("keeps within the peer's windows, and within smaller ones told later", async () => {
    let got = 0;
    let most = 0;
    let allowed = 20_000;
    const client = clientOf(
      await frameServer({
        settings: [[SETTING.initialWindowSize, 20_000]],
        onData(peer, streamId, bytes, ended) {
          got += bytes;
          most = Math.max(most, got - allowed);
          if (ended) peer.ok(streamId);
          else if (got === allowed) {
            allowed += 10_000;
            peer.send(FRAME.windowUpdate, 0, streamId, uint32(10_000));
            peer.send(FRAME.windowUpdate, 0, 0, uint32(10_000));
          }
        },
      }),
      "",
      { method: "POST", body: new Uint8Array(100_000) },
    );
    expect(await client.get()).toMatchObject(OK);
    expect(got).toBe(100_000);
    expect(most).toBeLessThanOrEqual(0);
  });

  it("opens no more connections for a deadline that passes while one is opening", async () => {
    const client = clientOf(await rawServer(() => {}));
    const { call } = client.send();
    await sleep(30);
    client.transport.cancel(call);
    const next = client.send();
    await sleep(30);
    client.transport.cancel(next.call);
    expect(client.transport.connections.wanted).toBe(1);
  });
});
