import { afterEach, describe, expect, it } from "vitest";
import { Call } from "../../../src/engine/call.ts";
import type { AttemptSink, Transport } from "../../../src/engine/ports.ts";
import type { RealWorldSpec } from "../../../src/engine/trial-spec.ts";
import type { Criticality } from "../../../src/policy/policy.ts";
import { Http1Transport } from "../../../src/world/real/http1-transport.ts";
import { H2Transport } from "../../../src/world/real/http2/transport.ts";
import { monotonicSeconds } from "../../../src/world/real/monotonic.ts";
import { h2Server } from "../../support/h2-server.ts";
import { httpServer, type TestServer } from "../../support/servers.ts";
import { TRANSPORT } from "../../support/transports.ts";
import { PLAIN_CONNECTIONS } from "../../support/trial-spec.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Answers with these headers and notes those of the request. */
type Serve = (answer: Headers, seen: Headers[]) => Promise<TestServer>;

const overH1: Serve = async (answer, seen) =>
  await httpServer((request, response) => {
    seen.push(request.headers);
    response.sendDate = false;
    response.writeHead(503, answer as Record<string, string>);
    response.end();
  });

const overH2: Serve = async (answer, seen) =>
  await h2Server((stream, _path, headers) => {
    seen.push(headers);
    stream.respond({ ":status": 503, ...answer }, { sendDate: false } as object);
    stream.end();
  });

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(
  serve: Serve,
  http2: boolean,
  answer: Headers,
  wanted: readonly string[],
  change: Partial<RealWorldSpec> = {},
) {
  const seen: Headers[] = [];
  const server = await serve(answer, seen);
  closing.push(() => server.close());
  let ended: () => void = () => {};
  const sink: AttemptSink = { attemptEnded: () => ended() };
  const spec: RealWorldSpec = {
    kind: "real",
    url: server.url,
    method: "GET",
    headers: [["x-own", "1"]],
    body: undefined,
    pacing: "timer",
    transport: TRANSPORT,
    sentinelUrl: undefined,
    answerHeaders: wanted,
    connections: { ...PLAIN_CONNECTIONS, http2 },
    ...change,
  };
  const scheduler = { now: monotonicSeconds, at: () => {} };
  const transport: Transport & { close(): Promise<void> } = http2
    ? new H2Transport(spec, scheduler, sink)
    : new Http1Transport(spec, scheduler, sink);
  closing.push(() => transport.close());
  const get = async (requestHeaders?: readonly string[], criticality: Criticality = 1): Promise<Call> => {
    const call = new Call();
    call.criticality = criticality;
    call.requestHeaders = requestHeaders;
    await new Promise<void>((resolve) => {
      ended = resolve;
      transport.send(call);
    });
    return call;
  };
  return { get, seen };
}

const TEXT = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCXYZ[\\]^_`abcxyz{|}~".trim();

describe.each([
  ["HTTP/1.1", overH1, false],
  ["HTTP/2", overH2, true],
] as const)("over %s", (_name, serve, http2) => {
  it("hands the policy the headers that it reads, and no others", async () => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT";
    const wanted = ["retry-after", "ratelimit", "date"];
    const { get } = await open(serve, http2, { "retry-after": "120", ratelimit: TEXT, "x-other": "1", date }, wanted);
    // Bun's HTTP/2 server puts headers into a table that it was told not to use: its second such answer is an error.
    const times = http2 && "Bun" in globalThis ? 1 : 2;
    for (let time = 0; time < times; time += 1) {
      const { status, answerHeaders = [], errorCode } = await get();
      expect(errorCode).toBe("");
      const pairs = answerHeaders.flatMap((text, index) => (index % 2 === 0 ? [[text, answerHeaders[index + 1]]] : []));
      expect(status).toBe(503);
      expect(Object.fromEntries(pairs)).toEqual({ "retry-after": "120", ratelimit: TEXT, date });
    }
  });

  it("hands over nothing when nothing is wanted, or nothing of it came", async () => {
    expect((await (await open(serve, http2, { "retry-after": "1" }, [])).get()).answerHeaders).toBeUndefined();
    expect((await (await open(serve, http2, { "x-other": "1" }, ["retry-after"])).get()).answerHeaders).toBeUndefined();
  });

  it("tells how much a call matters in the header that is asked for", async () => {
    const { get, seen } = await open(serve, http2, {}, [], { criticalityHeader: "x-criticality" });
    await get(["x-attempt", "0"], 0);
    await get(undefined, 3);
    expect(seen.map((headers) => [headers["x-criticality"], headers["x-attempt"]])).toEqual([
      ["CRITICAL_PLUS", "0"],
      ["SHEDDABLE", undefined],
    ]);
  });

  it("sends the headers of an attempt with that attempt alone, beside those of every request", async () => {
    const { get, seen } = await open(serve, http2, {}, []);
    await get();
    await get(["X-Attempt", "1", "grpc-timeout", "950m"]);
    await get();
    expect(seen.map((headers) => [headers["x-own"], headers["x-attempt"], headers["grpc-timeout"]])).toEqual([
      ["1", undefined, undefined],
      ["1", "1", "950m"],
      ["1", undefined, undefined],
    ]);
  });
});
