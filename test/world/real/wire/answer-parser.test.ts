import { describe, expect, it } from "vitest";
import { AnswerHeaders } from "../../../../src/world/real/answer-headers.ts";
import { AnswerParser } from "../../../../src/world/real/wire/answer-parser.ts";
import { type Arrival, everyCut, feed, type Reading, ROOMY, readText } from "../../../support/answer-reading.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKS = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const EMPTY = "Content-Length: 0\r\n\r\n";

const PLAIN: Reading = {
  state: "complete",
  refusal: "",
  status: 200,
  begun: true,
  persistent: true,
  keepAliveSeconds: Number.POSITIVE_INFINITY,
  interims: 0,
  bodyBytes: 0,
  excessBytes: 0,
  headers: undefined,
};

/** Each is read whole and byte by byte. */
function expectReading(
  text: string,
  differs: Partial<Reading>,
  arrival: Arrival & { headers?: AnswerHeaders } = {},
): void {
  for (const cuts of [[], everyCut(Buffer.from(text, "latin1"))]) {
    expect([text, readText(text, { ...arrival, cuts })]).toEqual([text, { ...PLAIN, ...differs }]);
  }
}

describe("the status line", () => {
  it("may have any reason, none, or not even the blank before none", () => {
    for (const reason of [" OK", " ", "", " \t", " a b  ", " na\u00efve \u0080\u00ff", ' : ;"']) {
      expectReading(`HTTP/1.1 200${reason}\r\n${EMPTY}`, {});
    }
  });

  it("has a status from 200 on when it is final, also one that is none", () => {
    for (const status of [200, 299, 300, 429, 503, 599, 600, 999])
      expectReading(`HTTP/1.1 ${status} X\r\n${EMPTY}`, { status });
  });
});

describe("fields", () => {
  it("have names of all token characters, and values of all visible ones, blanks and obs-text", () => {
    const name = "!#$%&'*+-.^_`|~09azAZ";
    const value = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).filter((byte) =>
      /[\t\u0020-\u007e\u0080-\u00ff]/.test(byte),
    );
    expectReading(`${OK}${name}: ${value.join("")}\r\nA:\r\nB: \t \r\nC:d\r\n${EMPTY}`, {});
  });

  it("that frame the body may have any case and blanks around their values", () => {
    expectReading(`${OK}CONTENT-LENGTH:\t 2 \t\r\n\r\nab`, { bodyBytes: 2 });
    expectReading(`${OK}tRANSFER-eNCODING:chunked\t\r\n\r\n0\r\n\r\n`, {});
    expectReading(`${OK}connection:  CLOSE \r\n${EMPTY}`, { persistent: false });
  });

  it("with names that only begin or end like those say nothing", () => {
    const fields = "Content-Lengt: 5\r\nContent-Length-: 5\r\nX-Content-Length: 5\r\nContent_Length: 5\r\n";
    expectReading(`${OK}${fields}${EMPTY}`, {});
    expectReading(`${OK}Connections: close\r\nKeep-Alives: timeout=1\r\n${EMPTY}`, {});
  });
});

describe("bodies", () => {
  it("by length are counted, whatever their bytes are", () => {
    for (const body of ["ab", "\r\n\r\n", "HTTP/1.1 503 X\r\n\r\n", "\0\xff", "0\r\n\r\n"]) {
      expectReading(`${OK}Content-Length: ${body.length}\r\n\r\n${body}`, { bodyBytes: body.length });
    }
    expectReading(`${OK}Content-Length: 0000002\r\n\r\nab`, { bodyBytes: 2 });
  });

  it("in chunks are counted without what frames them", () => {
    expectReading(`${CHUNKS}0\r\n\r\n`, {});
    expectReading(`${CHUNKS}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`, { bodyBytes: 3 });
    const lineEnds = "\r\n".repeat(5);
    expectReading(`${CHUNKS}00A\r\n0123456789\r\n0a\r\n${lineEnds}\r\n000\r\n\r\n`, { bodyBytes: 20 });
    expectReading(`${CHUNKS}0000000000000001\r\na\r\n0000000000000000\r\n\r\n`, { bodyBytes: 1 });
  });

  it("in chunks may have extensions and trailers, which are passed over", () => {
    for (const extension of [";a", ";a=b", ' ; a = "b"', '\t;\ta\t=\t"\t\u00e9;,\\"\\\t"', ';a="";b=c;d', ";!=~"]) {
      expectReading(`${CHUNKS}1${extension}\r\nx\r\n0${extension}\r\n\r\n`, { bodyBytes: 1 });
    }
    expectReading(`${CHUNKS}0\r\nA: b\r\nC:\r\nContent-Length: 9\r\nConnection: close\r\n\r\n`, {});
  });

  it("in chunks may have another coding first", () => {
    for (const codings of ["gzip, chunked", "gzip,deflate\t, Chunked", "x\r\nTransfer-Encoding: chunked"]) {
      expectReading(`${OK}Transfer-Encoding: ${codings}\r\n\r\n1\r\na\r\n0\r\n\r\n`, { bodyBytes: 1 });
    }
  });

  it("without a length or chunks end with the connection", () => {
    const open = { persistent: false };
    expectReading(`${OK}\r\n`, { ...open, state: "reading" });
    expectReading(`${OK}\r\n`, open, { ends: true });
    expectReading(`${OK}\r\nabc`, { ...open, bodyBytes: 3 }, { ends: true });
    expectReading(`${OK}Connection: keep-alive\r\n\r\nabc`, { ...open, bodyBytes: 3 }, { ends: true });
    expectReading(`${OK}Transfer-Encoding: gzip\r\n\r\nabc`, { ...open, bodyBytes: 3 }, { ends: true });
    expectReading("HTTP/1.0 200 OK\r\n\r\nabc", { ...open, bodyBytes: 3 }, { ends: true });
  });

  it("are none in answers to HEAD and with 204 and 304, whatever the fields say", () => {
    const framings = ["", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n"];
    for (const framing of framings) {
      expectReading(`${OK}${framing}\r\n`, {}, { bodiless: true });
      expectReading(`HTTP/1.1 204 No Content\r\n${framing}\r\n`, { status: 204 });
      expectReading(`HTTP/1.1 304 Not Modified\r\n${framing}\r\n`, { status: 304 });
    }
    expectReading("HTTP/1.1 205 Reset Content\r\nContent-Length: 1\r\n\r\nx", { status: 205, bodyBytes: 1 });
  });

  it("are as long as allowed, and not a byte longer", () => {
    const limits = { bodyBytesMax: 3 };
    for (const [text, ends] of [
      [`${OK}Content-Length: 3\r\n\r\nabc`, false],
      [`${CHUNKS}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n`, false],
      [`${OK}\r\nabc`, true],
    ] as const) {
      expect([text, readText(text, { limits, ends })]).toMatchObject([text, { state: "complete", bodyBytes: 3 }]);
      const { refusal } = readText(text, { limits: { bodyBytesMax: 2 }, ends });
      expect([text, refusal]).toEqual([text, "H1_BODY_SIZE"]);
    }
    expectReading(`${OK}Content-Length: 999999999\r\n\r\n`, {}, { bodiless: true });
  });
});

describe("interim answers", () => {
  const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";

  it("are counted and passed over with nearly all that they say", () => {
    const interim =
      "HTTP/1.1 100 Continue\r\nConnection: keep-alive\r\nKeep-Alive: timeout=1\r\nContent-Length: 7\r\n\r\n";
    expectReading(`${interim}${HINTS}HTTP/1.1 102\r\n\r\n${OK}${EMPTY}`, { interims: 3 });
    expectReading(`${interim}HTTP/1.0 200 OK\r\n${EMPTY}`, { interims: 1, persistent: false });
    expectReading(`HTTP/1.1 199 X\r\nTransfer-Encoding: chunked\r\n\r\n${OK}${EMPTY}`, { interims: 1 });
    expectReading(`${HINTS}${OK}${EMPTY}`, { interims: 1 }, { bodiless: true });
  });

  it("that say close have said it for the connection, up to the next answer", () => {
    const closing = "HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n";
    expectReading(`${closing}${HINTS}${OK}${EMPTY}`, { interims: 2, persistent: false });
    const parser = new AnswerParser(ROOMY, undefined);
    feed(parser, Buffer.from(`${closing}${OK}${EMPTY}`));
    expect(feed(parser, Buffer.from(`${OK}${EMPTY}`))).toEqual(PLAIN);
  });

  it("have no status for the answer to come", () => {
    expectReading(HINTS, { state: "reading", status: 0, interims: 1, persistent: false });
    expect(readText(HINTS).status).toBe(0);
  });

  it("are as many as allowed", () => {
    const text = `${HINTS.repeat(3)}${OK}${EMPTY}`;
    expect(readText(text, { limits: { interimMax: 3 } })).toEqual({ ...PLAIN, interims: 3 });
    expect(readText(text, { limits: { interimMax: 2 } }).refusal).toBe("H1_INTERIMS");
  });

  it("each have the room of a head", () => {
    const limits = { headBytesMax: HINTS.length };
    expect(readText(`${HINTS.repeat(9)}${OK}${EMPTY}`, { limits })).toEqual({ ...PLAIN, interims: 9 });
  });
});

describe("heads and trailers", () => {
  it("are as long as allowed, and not a byte longer", () => {
    const head = `${OK}A: b\r\n${EMPTY}`;
    for (const cuts of [[], everyCut(Buffer.from(head))]) {
      expect(readText(head, { limits: { headBytesMax: head.length }, cuts })).toEqual(PLAIN);
      for (let headBytesMax = 1; headBytesMax < head.length; headBytesMax += 1) {
        expect(readText(head, { limits: { headBytesMax }, cuts }).refusal).toBe("H1_HEAD_SIZE");
      }
    }
    const switching = "HTTP/1.1 101 Switching Protocols\r\n";
    expect(readText(switching, { limits: { headBytesMax: switching.length } }).refusal).toBe("H1_HEAD_SIZE");
    const trailers = `A: ${"b".repeat(70)}\r\n\r\n`;
    expect(readText(`${CHUNKS}0\r\n${trailers}`, { limits: { headBytesMax: trailers.length } }).state).toBe("complete");
    const { refusal } = readText(`${CHUNKS}0\r\n${trailers}`, { limits: { headBytesMax: trailers.length - 1 } });
    expect(refusal).toBe("H1_HEAD_SIZE");
  });
});

describe("the connection behind an answer", () => {
  const persistsAs: readonly (readonly [version: string, connection: string, persists: boolean])[] = [
    ["1.1", "", true],
    ["1.1", "keep-alive", true],
    ["1.1", "close", false],
    ["1.1", "CLOSE", false],
    ["1.1", "Keep-Alive ,\tClose", false],
    ["1.1", ",,close,", false],
    ["1.1", "x-close, closed, clos", true],
    ["1.1", "close x", true],
    ["1.1", "upgrade, \u00e9", true],
    ["1.0", "", false],
    ["1.0", "keep-alive", true],
    ["1.0", "x-hop,KEEP-ALIVE", true],
    ["1.0", "keep-alive, close", false],
    ["1.0", "keep-alives", false],
  ];

  it("persists by version and options, one list over all fields", () => {
    for (const [version, connection, persistent] of persistsAs) {
      const status = `HTTP/${version} 200 OK\r\n`;
      expectReading(`${status}Connection: ${connection}\r\n${EMPTY}`, { persistent });
      expectReading(`${status}Connection: x-hop\r\nConnection: ${connection}\r\n${EMPTY}`, { persistent });
    }
    expectReading(`${OK}Connection: close\r\nConnection: keep-alive\r\n${EMPTY}`, { persistent: false });
    expectReading(`HTTP/1.0 200 OK\r\n${EMPTY}`, { persistent: false });
  });

  it("is kept for as long as the target says, and hints that are none say nothing", () => {
    const hints: readonly (readonly [value: string, seconds: number])[] = [
      ["timeout=5", 5],
      ["timeout=5, max=100", 5],
      ["max=100,TIMEOUT=60", 60],
      ["timeout=0", 0],
      ["timeout=007 , x", 7],
      ["", Number.POSITIVE_INFINITY],
      ["timeout", Number.POSITIVE_INFINITY],
      ["timeout=", Number.POSITIVE_INFINITY],
      ["timeout=5s", Number.POSITIVE_INFINITY],
      ["timeout=-5", Number.POSITIVE_INFINITY],
      ["timeout=1.5", Number.POSITIVE_INFINITY],
      ['timeout="5"', Number.POSITIVE_INFINITY],
      ["xtimeout=5, timeouts=5", Number.POSITIVE_INFINITY],
      [`timeout=${"9".repeat(400)}`, Number.POSITIVE_INFINITY],
      ["\u00e9=,;\\", Number.POSITIVE_INFINITY],
    ];
    for (const [value, keepAliveSeconds] of hints) {
      expectReading(`${OK}Keep-Alive: ${value}\r\n${EMPTY}`, { keepAliveSeconds });
    }
    expectReading(`${OK}Keep-Alive: max=5\r\nKeep-Alive: timeout=4\r\n${EMPTY}`, { keepAliveSeconds: 4 });
  });

  it("is used no more when bytes came behind the answer, which are never read as another", () => {
    const next = `HTTP/1.1 503 X\r\n${EMPTY}`;
    const excess = { persistent: false, excessBytes: next.length };
    for (const [answer, differs, bodiless] of [
      [`${OK}${EMPTY}`, {}, false],
      [`${OK}Content-Length: 1\r\n\r\na`, { bodyBytes: 1 }, false],
      [`${CHUNKS}1\r\na\r\n0\r\n\r\n`, { bodyBytes: 1 }, false],
      ["HTTP/1.1 304 X\r\nContent-Length: 1\r\n\r\n", { status: 304 }, false],
      [`${OK}Content-Length: 1\r\n\r\n`, {}, true],
    ] as const) {
      expectReading(answer + next, { ...differs, ...excess }, { bodiless });
    }
  });

  it("is used no more when the answer is not complete", () => {
    for (const text of [`${OK}Content-Length: 2\r\n\r\na`, `${OK}Content-Length: 2\r\n`, `${CHUNKS}0\r\nA : b`]) {
      expect([text, readText(text).persistent, readText(text, { ends: true }).persistent]).toEqual([
        text,
        false,
        false,
      ]);
    }
  });

  it("that ends behind a complete answer changes nothing", () => {
    expectReading(`${OK}${EMPTY}`, {}, { ends: true });
  });
});

describe("the wanted headers", () => {
  const headers = new AnswerHeaders(["retry-after", "date", "connection", "ratelimit"]);
  const date = "Sun, 06 Nov 1994 08:49:37 GMT";

  it("are picked whatever their case, each time they come, without the blanks around their values", () => {
    const text = `${OK}Date: ${date}\r\nRETRY-AFTER: \t5 \r\nX: y\r\nretry-after:7\r\nRateLimit: \t\r\n${EMPTY}`;
    const picked = ["date", date, "retry-after", "5", "retry-after", "7", "ratelimit", ""];
    expectReading(text, { headers: picked }, { headers });
  });

  it("have the date, the first one, wherever it stands", () => {
    const text = `${OK}Retry-After: 5\r\nDate: ${date}\r\nDate: ${"x".repeat(70)}\r\n${EMPTY}`;
    const { headers: found = [] } = readText(text, { headers });
    expect(found[found.indexOf("date") + 1]).toBe(date);
    expect(found[found.indexOf("retry-after") + 1]).toBe("5");
    const long = "x".repeat(500);
    expectReading(
      `${OK}Date: ${long}\r\nRetry-After: 5\r\n${EMPTY}`,
      { headers: ["date", long, "retry-after", "5"] },
      { headers },
    );
  });

  it("keep blanks within and obs-text, byte for byte", () => {
    const text = `${OK}Date: ${date}\r\nRateLimit: "a" ;\tr=1 \u00e9\u00ff\r\n${EMPTY}`;
    expectReading(text, { headers: ["date", date, "ratelimit", '"a" ;\tr=1 \u00e9\u00ff'] }, { headers });
  });

  it("may be those that say something of the connection too", () => {
    const text = `${OK}Date: ${date}\r\nConnection: close\r\n${EMPTY}`;
    expectReading(text, { persistent: false, headers: ["date", date, "connection", "close"] }, { headers });
  });

  it("are neither those of interim answers nor those of trailers", () => {
    const text = `HTTP/1.1 103 X\r\nRetry-After: 1\r\n\r\n${CHUNKS}0\r\nRetry-After: 2\r\nDate: ${date}\r\n\r\n`;
    expectReading(text, { interims: 1 }, { headers });
  });

  it("are none when only the date is there, and dated when the date is not", () => {
    expectReading(`${OK}Date: ${date}\r\n${EMPTY}`, {}, { headers });
    const before = Date.now();
    const picked = readText(`${OK}Retry-After: 3\r\n${EMPTY}`, { headers }).headers ?? [];
    expect(picked.slice(0, 3)).toEqual(["retry-after", "3", "date"]);
    expect(Date.parse(picked[3] ?? "")).toBeGreaterThan(before - 1000);
  });

  it("are whole when they are long and come in many pieces", () => {
    const value = Array.from({ length: 9000 }, (_, index) => String.fromCharCode(0x21 + (index % 90))).join("");
    const text = `${OK}Date: ${date}\r\nRateLimit: ${value}\r\nRetry-After: 1\r\n${EMPTY}`;
    const picked = ["date", date, "ratelimit", value, "retry-after", "1"];
    expectReading(text, { headers: picked }, { headers });
  });

  it("of one answer are gone with the next", () => {
    const parser = new AnswerParser(ROOMY, headers);
    feed(parser, Buffer.from(`${OK}Date: ${date}\r\nRetry-After: 3\r\n${EMPTY}`));
    const kept = parser.headers;
    expect(feed(parser, Buffer.from(`${OK}${EMPTY}`)).headers).toBeUndefined();
    expect(kept).toEqual(["date", date, "retry-after", "3"]);
    const { headers: undated = [] } = feed(parser, Buffer.from(`${OK}Retry-After: 4\r\n${EMPTY}`));
    expect(undated.slice(0, 2)).toEqual(["retry-after", "4"]);
    expect(undated).not.toContain(date);
  });
});

describe("a parser that waits", () => {
  it("reads nothing before a request was sent", () => {
    const parser = new AnswerParser(ROOMY, undefined);
    const bytes = Buffer.from(`${OK}${EMPTY}`);
    expect(parser.read(bytes, 0, bytes.length)).toBe("refused");
    expect([parser.status, parser.begun]).toEqual([0, false]);
  });

  it("has begun with the first byte, also of an interim answer, and not with a piece of none", () => {
    const parser = new AnswerParser(ROOMY, undefined);
    parser.begin(false);
    const bytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");
    expect([parser.read(bytes, 3, 3), parser.begun]).toEqual(["reading", false]);
    expect([parser.read(bytes, 0, 1), parser.begun]).toEqual(["reading", true]);
    expect([parser.read(bytes, 1, bytes.length), parser.begun]).toEqual(["reading", true]);
    parser.begin(false);
    expect(parser.begun).toBe(false);
  });
});
