import { describe, expect, it } from "vitest";
import { faultOf } from "../../../../src/world/real/faults.ts";
import { AnswerParser } from "../../../../src/world/real/wire/answer-parser.ts";
import { CUTS, REFUSALS } from "../../../../src/world/real/wire/refusals.ts";
import { everyCut, feed, readText, refusedAt } from "../../../support/answer-reading.ts";

/** Stands before the byte at which an answer is refused. */
const HERE = "\u25b8";
const LIMITS = { headBytesMax: 300, interimMax: 2, bodyBytesMax: 20 };

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKS = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

const CASES: Readonly<Record<keyof typeof REFUSALS, readonly string[]>> = {
  H1_STATUS_LINE: [
    `${HERE}\r\n${OK}`,
    `${HERE} ${OK}`,
    `${HERE}http/1.1 200 OK`,
    `HT${HERE}/1.1 200 OK`,
    `HTTP${HERE} 200 OK`,
    `HTTP/${HERE}v1.1 200 OK`,
    `HTTP/1${HERE} 200 OK`,
    `HTTP/1${HERE},1 200 OK`,
    `HTTP/1.${HERE}x 200 OK`,
    `HTTP/1.1${HERE}0 200 OK`,
    `HTTP/1.1${HERE}\t200 OK`,
    `HTTP/1.1 ${HERE} 200 OK`,
    `HTTP/1.1 ${HERE}099 OK`,
    `HTTP/1.1 ${HERE}-20 OK`,
    `HTTP/1.1 2${HERE}x0 OK`,
    `HTTP/1.1 20${HERE} OK`,
    `HTTP/1.1 20${HERE}\r\n`,
    `HTTP/1.1 200${HERE}0 OK`,
    `HTTP/1.1 200${HERE}OK`,
    `HTTP/1.1 200${HERE}\tOK`,
    `HTTP/1.1 200 O${HERE}\0K`,
    `HTTP/1.1 200 ${HERE}\x7f`,
    `${HERE}GET / HTTP/1.1\r\n`,
    `${HERE}<html>`,
    `${HERE}\x15\x03\x01\0\x02\x02\x0a`,
    `${CONTINUE}${HERE}\r\n${OK}`,
  ],
  H1_VERSION: [`HTTP/${HERE}0.9 200 OK`, `HTTP/${HERE}2 200 OK`, `HTTP/${HERE}2.0 200 OK`, `HTTP/1.${HERE}2 200 OK`],
  H1_FIELD_NAME: [
    `${OK}${HERE}: b\r\n`,
    `${OK}A${HERE} : b\r\n`,
    `${OK}A${HERE}\t: b\r\n`,
    `${OK}A${HERE}\r\n`,
    `${OK}A${HERE}\n`,
    `${OK}two${HERE} words: b\r\n`,
    `${OK}${HERE}\0: b\r\n`,
    `${OK}A${HERE}\xe9: b\r\n`,
    `${OK}A${HERE}\x7f: b\r\n`,
    `${OK}A${HERE}(b): c\r\n`,
    `${OK}${HERE}"A": b\r\n`,
    `${OK}Content-Length${HERE} : 5\r\n`,
    `${OK}A: b\r\nC${HERE}\r\n`,
    `HTTP/1.1 100 Continue\r\nA${HERE} : b\r\n`,
    `${CHUNKS}0\r\n${HERE}: b\r\n`,
    `${CHUNKS}0\r\nA${HERE} : b\r\n`,
  ],
  H1_FIELD_VALUE: [
    `${OK}A: b${HERE}\0c\r\n`,
    `${OK}A: ${HERE}\x01\r\n`,
    `${OK}A:${HERE}\x1b\r\n`,
    `${OK}A: b${HERE}\x7f\r\n`,
    `${OK}Content-Length: 5${HERE}\x0b\r\n`,
    `${CHUNKS}0\r\nA: ${HERE}\0\r\n`,
  ],
  H1_BARE_LF: [
    `HTTP/1.1 200${HERE}\n`,
    `HTTP/1.1 200 OK${HERE}\n`,
    `${OK}${HERE}\n`,
    `${OK}A:${HERE}\n`,
    `${OK}A: b${HERE}\nC: d\r\n`,
    `${OK}Content-Length: 0${HERE}\n\n`,
    `${OK}A: b\r\n${HERE}\n`,
    `${CHUNKS}5${HERE}\n`,
    `${CHUNKS}5 ${HERE}\n`,
    `${CHUNKS}5;${HERE}\n`,
    `${CHUNKS}5;a${HERE}\n`,
    `${CHUNKS}5;a=${HERE}\n`,
    `${CHUNKS}5;a="${HERE}\n`,
    `${CHUNKS}5;a=b${HERE}\n`,
    `${CHUNKS}5;a="b"${HERE}\n`,
    `${CHUNKS}0\r\n${HERE}\n`,
    `${CHUNKS}0\r\nA: b${HERE}\n`,
  ],
  H1_BARE_CR: [
    `HTTP/1.1 200\r${HERE} OK\r\n`,
    `HTTP/1.1 200 OK\r${HERE}A: b\r\n`,
    `HTTP/1.1 200 OK\r${HERE}\r\n`,
    `${OK}\r${HERE}A: b\r\n`,
    `${OK}\r${HERE}\r\n`,
    `${OK}A: b\r${HERE}c\r\n`,
    `${OK}A: b\r${HERE}\r\n`,
    `${CHUNKS}5\r${HERE}5\r\n`,
    `${CHUNKS}0\r\n\r${HERE}\r\n`,
    `${CHUNKS}0\r\nA: b\r${HERE}C: d\r\n`,
  ],
  H1_FOLDED_LINE: [
    `${OK}A: b\r\n${HERE} c\r\n`,
    `${OK}A: b\r\n${HERE}\tc\r\n`,
    `${OK}A: b\r\n${HERE} \r\n\r\n`,
    `${OK}${HERE} A: b\r\n`,
    `${CHUNKS}0\r\nA: b\r\n${HERE} c\r\n`,
  ],
  H1_HEAD_SIZE: [
    `HTTP/1.1 200 ${"x".repeat(286)}${HERE}x`,
    `${OK}A: ${"b".repeat(279)}${HERE}b`,
    `${OK}${"a".repeat(282)}${HERE}a`,
    `${OK}${"A:b\r\n".repeat(56)}\r\n`.replace(/\r\n\r\n$/, `\r\na:${HERE}b`),
    `${CONTINUE}${OK}A: ${"b".repeat(279)}${HERE}b`,
    `${CHUNKS}0\r\nA: ${"b".repeat(296)}${HERE}b`,
  ],
  H1_LENGTH: [
    `${OK}Content-Length: x${HERE}\r\n`,
    `${OK}Content-Length:${HERE}\r\n`,
    `${OK}Content-Length: ${HERE}\r\n`,
    `${OK}Content-Length: -1${HERE}\r\n`,
    `${OK}Content-Length: +1${HERE}\r\n`,
    `${OK}Content-Length: 1.0${HERE}\r\n`,
    `${OK}Content-Length: 1e1${HERE}\r\n`,
    `${OK}Content-Length: 0x5${HERE}\r\n`,
    `${OK}Content-Length: 5 5${HERE}\r\n`,
    `${OK}Content-Length: 5, 5${HERE}\r\n`,
    `${OK}Content-Length: 5,6${HERE}\r\n`,
    `${OK}Content-Length: 5,${HERE}\r\n`,
    `${OK}Content-Length: "5"${HERE}\r\n`,
    `${OK}Content-Length: \xb2${HERE}\r\n`,
    `${OK}Content-Length: 9007199254740992${HERE}\r\n`,
    `${OK}Content-Length: ${"9".repeat(200)}${HERE}\r\n`,
    `HTTP/1.1 100 Continue\r\nContent-Length: x${HERE}\r\n`,
    `HTTP/1.1 204 No Content\r\nContent-Length: x${HERE}\r\n`,
  ],
  H1_LENGTHS: [
    `${OK}Content-Length: 5\r\nContent-Length: 6${HERE}\r\n`,
    `${OK}Content-Length: 5\r\nA: b\r\ncontent-length: 5${HERE}\r\n`,
    `${OK}Content-Length: 0\r\nContent-Length:${HERE}\r\n`,
  ],
  H1_LENGTH_AND_CODING: [
    `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r${HERE}\n`,
    `${OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r${HERE}\n`,
    `${OK}Transfer-Encoding: gzip\r\nContent-Length: 0\r\n\r${HERE}\n`,
    `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r${HERE}\n`,
    `HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r${HERE}\n`,
  ],
  H1_CODING: [
    `${OK}Transfer-Encoding:${HERE}\r\n`,
    `${OK}Transfer-Encoding: ,${HERE}\r\n`,
    `${OK}Transfer-Encoding: "chunked"${HERE}\r\n`,
    `${OK}Transfer-Encoding: chunked, chunked${HERE}\r\n`,
    `${OK}Transfer-Encoding: chunked, gzip${HERE}\r\n`,
    `${OK}Transfer-Encoding: chunked;q=1${HERE}\r\n`,
    `${OK}Transfer-Encoding: gzip;q=1, chunked${HERE}\r\n`,
    `${OK}Transfer-Encoding: gzip;a="b,chunked${HERE}\r\n`,
    `${OK}Transfer-Encoding: chunked,${HERE}\r\n`,
    `${OK}Transfer-Encoding: ,chunked${HERE}\r\n`,
    `${OK}Transfer-Encoding: gzip, , chunked${HERE}\r\n`,
    `${OK}Transfer-Encoding: chun ked${HERE}\r\n`,
    `${OK}Transfer-Encoding: \x80chunked${HERE}\r\n`,
    `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked${HERE}\r\n`,
    `${OK}Transfer-Encoding: chunked\r\nA: b\r\nTransfer-Encoding: gzip${HERE}\r\n`,
    `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r${HERE}\n`,
    `HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip\r\n\r${HERE}\n`,
  ],
  H1_CHUNK_SIZE: [
    `${CHUNKS}${HERE}\r\n`,
    `${CHUNKS}${HERE} 5\r\n`,
    `${CHUNKS}${HERE};a\r\n`,
    `${CHUNKS}${HERE}-5\r\n`,
    `${CHUNKS}${HERE}+5\r\n`,
    `${CHUNKS}${HERE}x\r\n`,
    `${CHUNKS}0${HERE}x5\r\n`,
    `${CHUNKS}5${HERE}g\r\n`,
    `${CHUNKS}5${HERE}\0\r\n`,
    `${CHUNKS}5${HERE},5\r\n`,
    `${CHUNKS}${"0".repeat(16)}${HERE}5\r\n`,
    `${CHUNKS}2000000000000${HERE}0\r\n`,
    `${CHUNKS}1\r\na\r\n${HERE}\r\n`,
  ],
  H1_CHUNK_LINE: [
    `${CHUNKS}5 ${HERE}\r\n`,
    `${CHUNKS}5 ${HERE}5\r\n`,
    `${CHUNKS}5;${HERE}\r\n`,
    `${CHUNKS}5;${HERE};a\r\n`,
    `${CHUNKS}5;${HERE}=b\r\n`,
    `${CHUNKS}5;a${HERE}/\r\n`,
    `${CHUNKS}5;a ${HERE}\r\n`,
    `${CHUNKS}5;a ${HERE}b\r\n`,
    `${CHUNKS}5;a=${HERE}\r\n`,
    `${CHUNKS}5;a=${HERE};b\r\n`,
    `${CHUNKS}5;a=b${HERE}"\r\n`,
    `${CHUNKS}5;a=b ${HERE}\r\n`,
    `${CHUNKS}5;a="b${HERE}\r\n`,
    `${CHUNKS}5;a="${HERE}\x7f"\r\n`,
    `${CHUNKS}5;a="\\${HERE}\0"\r\n`,
    `${CHUNKS}5;a="b"${HERE}c\r\n`,
  ],
  H1_CHUNK_END: [
    `${CHUNKS}1\r\na${HERE}b\r\n`,
    `${CHUNKS}1\r\na${HERE}\n`,
    `${CHUNKS}1\r\na${HERE}0\r\n\r\n`,
    `${CHUNKS}1\r\na\r${HERE}0\r\n\r\n`,
    `${CHUNKS}2\r\na\r${HERE}\n0\r\n\r\n`,
  ],
  H1_INTERIMS: [
    `${CONTINUE}${CONTINUE}HTTP/1.1 100 Continue\r${HERE}\n`,
    `${CONTINUE}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r${HERE}\n`,
  ],
  H1_UPGRADE: [
    `HTTP/1.1 101 Switching Protocols\r${HERE}\nUpgrade: h2c\r\n\r\n`,
    `${CONTINUE}HTTP/1.1 101 Switching Protocols\r${HERE}\n`,
  ],
  H1_BODY_SIZE: [
    `${OK}Content-Length: 21\r\n\r${HERE}\n`,
    `${OK}Content-Length: 9007199254740991\r\n\r${HERE}\n`,
    `${OK}\r\n${"x".repeat(20)}${HERE}x`,
    `${CHUNKS}15\r${HERE}\n`,
    `${CHUNKS}1fffffffffffff\r${HERE}\n`,
    `${CHUNKS}14\r\n${"x".repeat(20)}\r\n1\r${HERE}\n`,
  ],
};

describe("answers that break the rules", () => {
  for (const [code, texts] of Object.entries(CASES)) {
    it(`are refused with ${code}, at their first wrong byte`, () => {
      for (const marked of texts) {
        const text = marked.replace(HERE, "");
        const bytes = Buffer.from(text, "latin1");
        const at = refusedAt(text, { limits: LIMITS });
        expect([marked, text.slice(0, at) + HERE + text.slice(at)]).toEqual([marked, marked]);
        for (const cuts of [[], [at], [at + 1], everyCut(bytes)]) {
          const { state, refusal } = readText(text, { limits: LIMITS, cuts });
          expect([marked, state, refusal]).toEqual([marked, "refused", code]);
        }
      }
    });
  }

  it("are refused for extensions that are long beyond reason, all of a body taken together", () => {
    const chunk = (bytes: number): string => `1;${"a".repeat(bytes - 1)}\r\nx\r\n`;
    for (const [text, refusal] of [
      [chunk(16_384), ""],
      [chunk(16_385), "H1_CHUNK_LINE"],
      [chunk(1024).repeat(16), ""],
      [chunk(1024).repeat(17), "H1_CHUNK_LINE"],
      [`1;a="${"b".repeat(17_000)}`, "H1_CHUNK_LINE"],
      [`1;a=${"\t".repeat(17_000)}`, "H1_CHUNK_LINE"],
    ] as const) {
      expect([text.length, readText(CHUNKS + text, { limits: LIMITS }).refusal]).toEqual([text.length, refusal]);
    }
    const parser = new AnswerParser(LIMITS, undefined);
    const answer = Buffer.from(`${CHUNKS}${chunk(10_000)}0\r\n\r\n`);
    expect([feed(parser, answer).state, feed(parser, answer).state]).toEqual(["complete", "complete"]);
  });

  it("count as other faults, which fail the attempt", () => {
    for (const code of Object.keys(REFUSALS)) expect([code, faultOf(code)]).toEqual([code, "other"]);
  });

  it("are refused the same when they need no body", () => {
    for (const code of ["H1_LENGTH", "H1_LENGTHS", "H1_LENGTH_AND_CODING", "H1_CODING"] as const) {
      for (const marked of CASES[code]) {
        const text = marked.replace(HERE, "");
        expect([marked, readText(text, { bodiless: true }).refusal]).toEqual([marked, code]);
      }
    }
  });

  it("have no status before their status line was read whole", () => {
    for (const text of [
      "HTTP/1.1 20x",
      "HTTP/1.1 59\r",
      "HTTP/1.1 200 O\0",
      "HTTP/1.1 200 OK\rX",
      "HTTP/1.1 200 OK\r",
    ]) {
      expect([text, readText(text).status]).toEqual([text, 0]);
    }
    expect(readText(`${OK}A : b`).status).toBe(200);
  });
});

describe("an answer that the end of the connection cuts", () => {
  const CUT_AT: Readonly<Record<keyof typeof CUTS, readonly string[]>> = {
    H1_NO_ANSWER: [""],
    H1_CUT_HEAD: ["H", "HTTP/1.1 200 OK\r", OK, `${OK}A: b`, `${OK}A: b\r\n\r`, CONTINUE, `${CONTINUE}HTTP`],
    H1_CUT_BODY: [
      `${OK}Content-Length: 2\r\n\r\n`,
      `${OK}Content-Length: 2\r\n\r\na`,
      CHUNKS,
      `${CHUNKS}2`,
      `${CHUNKS}2\r\na`,
      `${CHUNKS}1\r\na\r\n`,
      `${CHUNKS}0\r\n`,
      `${CHUNKS}0\r\nA: b\r\n`,
      `${CHUNKS}0\r\n\r`,
    ],
  };

  for (const [code, texts] of Object.entries(CUT_AT)) {
    it(`is refused with ${code}`, () => {
      for (const text of texts) {
        expect([text, readText(text).state]).toEqual([text, "reading"]);
        const { state, refusal, begun } = readText(text, { ends: true });
        expect([text, state, refusal, begun]).toEqual([text, "refused", code, text !== ""]);
      }
    });
  }

  it("counts as a reset", () => {
    for (const code of Object.keys(CUTS)) expect([code, faultOf(code)]).toEqual([code, "reset"]);
  });

  it("keeps the reason for which it was refused before", () => {
    const parser = new AnswerParser(LIMITS, undefined);
    feed(parser, Buffer.from("HTTP/2"));
    expect([parser.end(), parser.refusal]).toEqual(["refused", "H1_VERSION"]);
  });
});
