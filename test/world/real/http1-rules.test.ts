/** Answers at the edge of HTTP/1.1's rules, and beyond: what each client makes of them, and of the connection that brought them. */

import type net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Ended, OK, Probe, type ProbeOptions, pause } from "../../support/probe.ts";
import { rawServer } from "../../support/servers.ts";
import { byTransport, TRANSPORT } from "../../support/transports.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";
const BODY = "Content-Length: 2\r\n\r\nok";
const ANSWER = `${HEAD}${BODY}`;
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n`;

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

type Serve = (socket: net.Socket, requests: number) => void;

/** A server that answers its nth request so. */
async function probing(serve: Serve, options: ProbeOptions = {}): Promise<Probe> {
  let requests = 0;
  const server = await rawServer((socket) => {
    requests += 1;
    serve(socket, requests);
  });
  const probe = new Probe(server.url, options);
  closing.push(probe, server);
  return probe;
}

/** Two attempts, the second of which finds the connection again if it may be used again. */
async function twice(serve: Serve, options: ProbeOptions = {}): Promise<{ ended: readonly Ended[]; opened: number }> {
  const probe = await probing(serve, options);
  const ended = await probe.attempts(2);
  return { ended, opened: probe.connections.opened };
}

const ALWAYS =
  (text: string): Serve =>
  (socket) =>
    socket.write(text);

describe(`over ${TRANSPORT}, an answer is taken, and its connection kept, that`, () => {
  it.each([
    ["has chunks with extensions and trailers", `${CHUNKED}\r\n2;a=b;c="d;e"\r\nok\r\n0;z\r\nX-Sum: 1\r\n\r\n`],
    ["comes after several interim ones", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(3) + ANSWER],
    ["comes after a 102", `HTTP/1.1 102 Processing\r\n\r\n${ANSWER}`],
    ["has no content: 204", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["has none, though it speaks of chunks: 204", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"],
    ["has none, though it speaks of chunks: 304", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n"],
    [
      "comes after an interim one that speaks of a body",
      `HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n${ANSWER}`,
    ],
    ["offers another protocol", `${HEAD}Connection: Upgrade\r\nUpgrade: h2c\r\n${BODY}`],
    ["has 300 fields of one name", `${HEAD}${"Set-Cookie: a=b\r\n".repeat(300)}${BODY}`],
    [
      "has two codings, the last of which is chunked",
      `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    ],
    ["has obs-text in a value", `${HEAD}X-Name: Gr\xfc\xdfe\r\n${BODY}`],
    ["has an empty value", `${HEAD}X-Empty:\r\n${BODY}`],
    ["has blanks around a value", `${HEAD}X: \t 2 \t \r\n${BODY}`],
    ["has no reason", `HTTP/1.1 200 \r\n${BODY}`],
    ["is HTTP/1.0 with keep-alive", `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n${BODY}`],
    ["is an error with a body", `HTTP/1.1 404 Not Found\r\n${BODY}`],
    ["has an empty body", `${HEAD}Content-Length: 0\r\n\r\n`],
    ["has no chunk but the last", `${CHUNKED}\r\n0\r\n\r\n`],
  ])("%s", async (_name, text) => {
    const { ended, opened } = await twice((socket) => socket.write(text, "latin1"));
    expect(ended.map(({ fault, errorCode }) => [fault, errorCode])).toEqual([
      ["none", ""],
      ["none", ""],
    ]);
    expect(opened).toBe(1);
  });

  it("comes byte by byte", async () => {
    const text = `HTTP/1.1 103 Early Hints\r\n\r\n${CHUNKED}\r\n2;a="b"\r\nok\r\n0\r\nX: y\r\n\r\n`;
    const drip = async (socket: net.Socket): Promise<void> => {
      for (const byte of text) {
        socket.write(byte);
        await pause(1);
      }
    };
    const probe = await probing((socket) => void drip(socket));
    expect(await probe.attempts(2)).toEqual([OK, OK]);
    expect(probe.connections).toMatchObject({ opened: 1, reused: 1 });
  });

  it.each([
    ["the length of a body that does not come", `${HEAD}Content-Length: 1000\r\n\r\n`],
    ["word of chunks that do not come", `${CHUNKED}\r\n`],
  ])("answers HEAD with %s", async (_what, text) => {
    const { ended, opened } = await twice(ALWAYS(text), { world: { method: "HEAD" } });
    expect({ ended, opened }).toEqual({ ended: [OK, OK], opened: 1 });
  });
});

describe(`over ${TRANSPORT}, an answer is taken, and its connection is not used again, that`, () => {
  it.each([
    ["says so", `${HEAD}Connection: close\r\n${BODY}`],
    ["says so among others, in capitals", `${HEAD}Connection: x-hop, CLOSE\r\n${BODY}`],
    ["is HTTP/1.0", `HTTP/1.0 200 OK\r\n${BODY}`],
    ["says that the connection ends at once", `${HEAD}Keep-Alive: timeout=0\r\n${BODY}`],
  ])("%s", async (_name, text) => {
    const { ended, opened } = await twice(ALWAYS(text));
    expect({ ended, opened }).toEqual({ ended: [OK, OK], opened: 2 });
  });

  it("is delimited by the end of the connection", async () => {
    const { ended, opened } = await twice((socket) => socket.end(`${HEAD}\r\nok`));
    expect({ ended, opened }).toEqual({ ended: [OK, OK], opened: 2 });
  });

  it.each([
    ["a byte", `${ANSWER}!`],
    ["an empty line", `${ANSWER}\r\n`],
    ["another answer", ANSWER + ANSWER],
  ])("has %s behind it, which is no part of it and no answer to the next request", async (name, text) => {
    const { ended, opened } = await twice(ALWAYS(text));
    expect(ended).toEqual([OK, OK]);
    // llhttp passes over empty lines before an answer.
    expect(opened).toBe(name === "an empty line" ? byTransport({ wire: 2, undici: 1 }) : 2);
  });

  it("answers HEAD with a body all the same", async () => {
    const { ended, opened } = await twice(ALWAYS(ANSWER), { world: { method: "HEAD" } });
    expect({ ended, opened }).toEqual({ ended: [OK, OK], opened: 2 });
  });

  it("is followed by bytes while the connection lies idle", async () => {
    const probe = await probing((socket, requests) => {
      socket.write(ANSWER);
      if (requests === 1) setTimeout(() => socket.write("HTTP/1.1 500 Poison\r\nContent-Length: 0\r\n\r\n"), 20);
    });
    expect(await probe.attempt()).toEqual(OK);
    await pause(60);
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, stale: 0 });
  });

  it("says for how long the connection is kept: then it is not used any more", async () => {
    const probe = await probing(ALWAYS(`${HEAD}Keep-Alive: timeout=1, max=100\r\n${BODY}`));
    expect(await probe.attempts(2)).toEqual([OK, OK]);
    expect(probe.connections.opened).toBe(1);
    await pause(700);
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, stale: 0 });
  });
});

/** Refused by both; how undici names it is its own. */
const REFUSED: readonly (readonly [what: string, text: string, wire: string])[] = [
  [
    "Content-Length beside Transfer-Encoding",
    `${CHUNKED}Content-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    "H1_LENGTH_AND_CODING",
  ],
  ["a length with a sign", `${HEAD}Content-Length: +2\r\n\r\nok`, "H1_LENGTH"],
  ["lines that end with LF", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "H1_BARE_LF"],
  ["a folded line", `${HEAD}X-Long: a\r\n b\r\n${BODY}`, "H1_FOLDED_LINE"],
  ["a blank before the colon", `${HEAD}Content-Length : 2\r\n\r\nok`, "H1_FIELD_NAME"],
  ["a NUL in a value", `${HEAD}X: a\0b\r\n${BODY}`, "H1_FIELD_VALUE"],
  ["chunks without a size", `${CHUNKED}\r\nok\r\n0\r\n\r\n`, "H1_CHUNK_SIZE"],
  ["a chunk size with 0x", `${CHUNKED}\r\n0x2\r\nok\r\n0\r\n\r\n`, "H1_CHUNK_SIZE"],
  ["a chunk size without bound", `${CHUNKED}\r\n${"f".repeat(40)}\r\nok`, "H1_CHUNK_SIZE"],
  ["a chunk that is longer than its size", `${CHUNKED}\r\n2\r\nokay\r\n0\r\n\r\n`, "H1_CHUNK_END"],
  [
    "a switch of protocols",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    "H1_UPGRADE",
  ],
  ["a head of 20 kB", `${HEAD}X: ${"y".repeat(20_000)}\r\n${BODY}`, "H1_HEAD_SIZE"],
];

describe(`over ${TRANSPORT}, an attempt fails, and is neither overload nor sent again, whose answer has`, () => {
  it.each(REFUSED)("%s", async (_what, text, wire) => {
    const probe = await probing((socket, requests) => socket.write(requests === 1 ? text : ANSWER));
    const ended = await probe.attempt(2000);
    expect(ended).toMatchObject({ status: 0, fault: "other" });
    if (TRANSPORT === "wire") expect(ended.errorCode).toBe(wire);
    await pause(5);
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, closedByPeer: 0, stale: 0 });
  });
});

describe(`over ${TRANSPORT}, an attempt meets a reset when the connection breaks`, () => {
  it.each([
    ["in the head, by FIN", `${HEAD}X-Ha`, "end", "H1_CUT_HEAD"],
    ["in the head, by RST", `${HEAD}X-Ha`, "resetAndDestroy", "ECONNRESET"],
    ["after the head of an interim answer", "HTTP/1.1 103 Early Hints\r\n\r\n", "end", "H1_CUT_HEAD"],
    ["in a chunk", `${CHUNKED}\r\n5\r\nab`, "end", "H1_CUT_BODY"],
    ["in a trailer", `${CHUNKED}\r\n0\r\nX-Su`, "end", "H1_CUT_BODY"],
    ["before the first byte", "", "end", "H1_NO_ANSWER"],
  ] as const)("%s", async (_where, text, how, wire) => {
    const probe = await probing((socket, requests) => {
      if (requests > 1) socket.write(ANSWER);
      else socket.write(text, () => setTimeout(() => socket[how](), 10));
    });
    const ended = await probe.attempt();
    expect(ended).toMatchObject({ fault: "reset" });
    if (TRANSPORT === "wire") expect(ended.errorCode).toBe(wire);
    await pause(5);
    expect(await probe.attempt()).toEqual(OK);
    expect(probe.connections).toMatchObject({ opened: 2, closedByPeer: 1, stale: 0 });
  });
});

/** undici finds the body cut short, whatever came, where it reads another length than llhttp did: which stands for a reset. */
const MISMATCH = { fault: "reset", errorCode: "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" } as const;
const TAKEN = { fault: "none", errorCode: "" } as const;
const refused = (errorCode: string) => ({ fault: "other", errorCode }) as const;
const NO_HTTP = refused("HTTPParserError");

describe("the two clients differ in", () => {
  it.each([
    [
      "a 304 with the length of what was not sent",
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
      TAKEN,
      MISMATCH,
    ],
    ["a 100 that nobody asked for", `HTTP/1.1 100 Continue\r\n\r\n${ANSWER}`, TAKEN, refused("UND_ERR_SOCKET")],
    [
      "an answer of HTTP/1.0 in chunks",
      "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
      refused("H1_CODING"),
      TAKEN,
    ],
    ["a 204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", TAKEN, MISMATCH],
    [
      "an interim answer that says close",
      `HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n${ANSWER}`,
      TAKEN,
      NO_HTTP,
    ],
    ["an interim answer of HTTP/1.0", `HTTP/1.0 103 Early Hints\r\n\r\n${ANSWER}`, TAKEN, NO_HTTP],
    ["a length in a trailer", `${CHUNKED}\r\n2\r\nok\r\n0\r\nContent-Length: 5\r\n\r\n`, TAKEN, NO_HTTP],
    ["an empty line before the answer", `\r\n${ANSWER}`, refused("H1_STATUS_LINE"), TAKEN],
    ["a length with blanks around it", `${HEAD}Content-Length: \t 2 \t \r\n\r\nok`, TAKEN, MISMATCH],
    ["lengths that differ", `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`, refused("H1_LENGTHS"), MISMATCH],
    [
      "the same length twice",
      `${HEAD}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`,
      refused("H1_LENGTHS"),
      MISMATCH,
    ],
    ["a list of lengths", `${HEAD}Content-Length: 2, 2\r\n\r\nok`, refused("H1_LENGTH"), MISMATCH],
    [
      "a length beyond counting",
      `${HEAD}Content-Length: 99999999999999999999999\r\n\r\nok`,
      refused("H1_LENGTH"),
      MISMATCH,
    ],
    ["HTTP/2.0 in the words of HTTP/1.1", `HTTP/2.0 200 OK\r\n${BODY}`, refused("H1_VERSION"), TAKEN],
  ] as const)("%s", async (_what, text, wire, undici) => {
    const [ended] = (await twice(ALWAYS(text))).ended as [Ended];
    expect(ended).toMatchObject(byTransport<Partial<Ended>>({ wire, undici }));
  });
});
