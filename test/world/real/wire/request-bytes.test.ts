import { Duplex } from "node:stream";
import fc from "fast-check";
import { Client } from "undici/index.js";
import { describe, expect, it } from "vitest";
import { Call } from "../../../../src/engine/call.ts";
import type { RealWorldSpec } from "../../../../src/engine/trial-spec.ts";
import { RequestBytes } from "../../../../src/world/real/wire/request-bytes.ts";
import { PLAIN_CONNECTIONS } from "../../../support/trial-spec.ts";

const SPEC: RealWorldSpec = {
  kind: "real",
  url: "http://example.test:8080/path?query=1",
  method: "GET",
  headers: [],
  body: undefined,
  pacing: "timer",
  sentinelUrl: undefined,
  connections: PLAIN_CONNECTIONS,
};

function sentBy(spec: RealWorldSpec, call = new Call(), last = false): string {
  const request = new RequestBytes(spec);
  const head = request.of(call, last);
  return Buffer.concat([head ?? Buffer.alloc(0), request.body ?? Buffer.alloc(0)]).toString("latin1");
}

/** What undici writes for the same request. */
async function sentByUndici(spec: RealWorldSpec, last: boolean): Promise<string> {
  const written: Buffer[] = [];
  const socket = new Duplex({
    read() {},
    write(piece: Buffer, _encoding, done) {
      written.push(piece);
      done();
    },
  });
  const url = new URL(spec.url);
  const client = new Client(url.origin, {
    connect: (_options, callback) => setImmediate(callback, null, socket as never),
  });
  await new Promise<void>((sent) => {
    const over = (): void => sent();
    client.dispatch(
      {
        path: `${url.pathname}${url.search}`,
        method: spec.method as "GET",
        headers: spec.headers.flat(),
        body: spec.body ?? null,
        reset: last,
      },
      {
        onRequestStart: () => {
          setImmediate(over);
        },
        onResponseError: over,
      },
    );
  });
  client.destroy().catch(() => {});
  return Buffer.concat(written).toString("latin1");
}

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
const value = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,20}$/);
const OWN =
  /^(connection|content-length|content-type|expect|keep-alive|transfer-encoding|upgrade|host|authorization)$/i;
const request = fc.record({
  method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PROPFIND"),
  headers: fc.array(
    fc.tuple(
      token.filter((name) => !OWN.test(name)),
      value,
    ),
    { maxLength: 5 },
  ),
  host: fc.option(fc.constantFrom("other.test", "10.0.0.1:80"), { nil: undefined }),
  body: fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined }),
  last: fc.boolean(),
});

describe("RequestBytes", () => {
  it("of a plain GET are a request line, the host, what becomes of the connection, and an empty line", () => {
    expect(sentBy(SPEC)).toBe(
      "GET /path?query=1 HTTP/1.1\r\nhost: example.test:8080\r\nconnection: keep-alive\r\n\r\n",
    );
    expect(sentBy(SPEC, new Call(), true)).toContain("\r\nconnection: close\r\n\r\n");
  });

  it("are those that undici sends, whatever the method, headers and body", async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ method, headers, host, body, last }) => {
        const spec: RealWorldSpec = {
          ...SPEC,
          method,
          headers: host === undefined ? headers : [...headers, ["Host", host]],
          body,
        };
        expect(sentBy(spec, new Call(), last)).toBe(await sentByUndici(spec, last));
      }),
      { numRuns: 150 },
    );
  });

  it("give a body's length, for the methods that have one also when it is empty", () => {
    const body = new TextEncoder().encode("abc");
    expect(sentBy({ ...SPEC, method: "POST", body })).toMatch(/\r\ncontent-length: 3\r\n\r\nabc$/);
    expect(sentBy({ ...SPEC, method: "POST" })).toMatch(/\r\ncontent-length: 0\r\n\r\n$/);
    expect(sentBy({ ...SPEC, method: "DELETE" })).not.toContain("content-length");
  });

  it("keep a long body apart, so that the heads of attempts do not each hold a copy", () => {
    const body = new Uint8Array(1_000_000).fill(0x61);
    const long = new RequestBytes({ ...SPEC, method: "POST", body });
    expect(long.body?.length).toBe(body.length);
    expect(long.of(new Call(), false)?.toString("latin1")).toMatch(/content-length: 1000000\r\n\r\n$/);
  });

  it("carry the user and password of the URL, unless a header says who is asking", () => {
    const url = "http://user:p%40ss@example.test/";
    const basic = `authorization: Basic ${Buffer.from("user:p@ss").toString("base64")}`;
    expect(sentBy({ ...SPEC, url })).toContain(basic);
    expect(sentBy({ ...SPEC, url, headers: [["Authorization", "Bearer x"]] })).not.toContain("Basic");
  });

  it("carry the headers of an attempt behind those of the trial, and are the same bytes when those are the same", () => {
    const bytes = new RequestBytes({ ...SPEC, headers: [["x-own", "1"]], criticalityHeader: "x-criticality" });
    const call = new Call();
    const first = bytes.of(call, false);
    expect(first?.toString("latin1")).toMatch(/x-own: 1\r\nx-criticality: CRITICAL\r\n\r\n$/);
    expect(bytes.of(call, false)).toBe(first);
    call.requestHeaders = ["x-attempt", "2"];
    expect(bytes.of(call, false)?.toString("latin1")).toMatch(/x-criticality: CRITICAL\r\nx-attempt: 2\r\n\r\n$/);
    expect(bytes.of(call, true)?.toString("latin1")).toContain("connection: close");
  });

  it("keep a bounded number of heads", () => {
    const bytes = new RequestBytes(SPEC);
    const call = new Call();
    for (let attempt = 0; attempt < 1000; attempt += 1) {
      call.requestHeaders = ["x-attempt", `${attempt}`];
      expect(bytes.of(call, false)?.toString("latin1")).toContain(`x-attempt: ${attempt}\r\n`);
    }
  });

  it.each([
    ["x-a", "1\r\nx-b: 2"],
    ["x-a", "1\nx-b: 2"],
    ["x-a", "\0"],
    ["x-a", "ÿĀ"],
    ["x a", "1"],
    ["", "1"],
    ["Host", "other"],
    ["Content-Length", "5"],
    ["Transfer-Encoding", "chunked"],
    ["Connection", "close"],
  ])("of an attempt with the header %j: %j are none", (name, text) => {
    const call = new Call();
    call.requestHeaders = [name, text];
    expect(new RequestBytes(SPEC).of(call, false)).toBeUndefined();
  });

  it.each([
    [{ headers: [["x-a", "1\r\nx-b: 2"]] as const }, /'headers' must be names and values/],
    [{ headers: [["content-length", "5"]] as const }, /'headers' must be names and values/],
    [
      {
        headers: [
          ["host", "a"],
          ["Host", "b"],
        ] as const,
      },
      /'headers' must name one host at most: current value is b/,
    ],
    [{ method: "GE T" }, /'method' must be a token: current value is GE T/],
  ])("refuse %j", (change, rule) => {
    expect(() => new RequestBytes({ ...SPEC, ...change })).toThrow(rule);
  });
});
