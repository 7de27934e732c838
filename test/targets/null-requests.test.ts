import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RequestFacts, RequestReader } from "../../targets/null/requests.ts";

const GET = "GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n";
const PLAIN: RequestFacts = { isHead: false, isLast: false, wantsStats: false };

function post(body: string): string {
  return `POST / HTTP/1.1\r\nHost: h\r\ncontent-LENGTH: ${body.length}\r\n\r\n${body}`;
}

/** Reads the pieces one after the other. */
function read(pieces: readonly Uint8Array[]): { whole: RequestFacts[]; refused: number | undefined; atRest: boolean } {
  const reader = new RequestReader();
  const whole: RequestFacts[] = [];
  for (const piece of pieces) {
    const { whole: more, refused } = reader.read(piece);
    whole.push(...more);
    if (refused !== undefined || more.at(-1)?.isLast === true) return { whole, refused, atRest: reader.atRest };
  }
  return { whole, refused: undefined, atRest: reader.atRest };
}

function cut(data: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const length of [...lengths, data.length]) {
    if (from >= data.length) break;
    pieces.push(data.subarray(from, from + length));
    from += length;
  }
  return pieces;
}

describe("RequestReader", () => {
  it.each<[string, string, readonly RequestFacts[]]>([
    ["one request in one piece", GET, [PLAIN]],
    ["several in one piece", GET + GET + GET, [PLAIN, PLAIN, PLAIN]],
    ["a body with its declared length, and what comes behind it", post("hello") + GET, [PLAIN, PLAIN]],
    ["a body that looks like a request", post(GET + GET), [PLAIN]],
    ["a GET with a body", `GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc${GET}`, [PLAIN, PLAIN]],
    ["HEAD", "HEAD / HTTP/1.1\r\n\r\n", [{ ...PLAIN, isHead: true }]],
    ["a question for the counters", "GET /__stats HTTP/1.1\r\n\r\n", [{ ...PLAIN, wantsStats: true }]],
    ["a client that closes", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", [{ ...PLAIN, isLast: true }]],
    ["HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", [{ ...PLAIN, isLast: true }]],
  ])("read() sees %s", (_what, text, whole) => {
    expect(read([Buffer.from(text)])).toEqual({ whole, refused: undefined, atRest: true });
  });

  it.each<[string, string, number]>([
    ["what is no request", "nonsense\r\n\r\n", 400],
    ["a length that is no number", "POST / HTTP/1.1\r\nContent-Length: ten\r\n\r\n", 400],
    ["a body in chunks", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501],
    ["a head that is too long", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}`, 431],
  ])("read() refuses %s", (_what, text, status) => {
    expect(read([Buffer.from(text)]).refused).toBe(status);
  });

  it("read() sees the same requests however they are cut into pieces", () => {
    const request = fc.oneof(
      fc.constant(GET),
      fc.string({ maxLength: 40, unit: "binary-ascii" }).map(post),
      fc.constant("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"),
      fc.constant("GET /__stats HTTP/1.1\r\n\r\n"),
    );
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 60 }),
        (requests, lengths) => {
          const data = Buffer.from(requests.join(""), "latin1");
          const seen = read(cut(data, lengths));
          expect(seen).toEqual(read([data]));
          expect(seen.whole).toHaveLength(requests.length);
          expect(seen.atRest).toBe(true);
        },
      ),
    );
  });
});
