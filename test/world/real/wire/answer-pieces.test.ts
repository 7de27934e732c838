import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stream } from "../../../../src/plan/streams.ts";
import { AnswerHeaders } from "../../../../src/world/real/answer-headers.ts";
import { AnswerParser } from "../../../../src/world/real/wire/answer-parser.ts";
import { everyCut, feed, type Reading, ROOMY, readingOf } from "../../../support/answer-reading.ts";
import { type Answer, answerOf, answers } from "../../../support/answers.ts";

const HEADERS = new AnswerHeaders(["retry-after", "x-ratelimit-remaining", "set-cookie"]);

/** What is to be read from an answer that comes whole, and ends in order where it must. */
function expectedOf({ expected }: Answer): Reading {
  const headers = expected.fields.filter(([name]) => HEADERS.wanted.includes(name)).flat();
  return {
    state: "complete",
    refusal: "",
    status: expected.status,
    begun: true,
    persistent: expected.persistent,
    keepAliveSeconds: expected.keepAliveSeconds,
    interims: expected.interims,
    bodyBytes: expected.body.length,
    excessBytes: 0,
    headers: headers.length === 0 ? undefined : headers,
  };
}

function cutsOf(answer: Answer, shares: readonly number[]): number[] {
  return shares.map((share) => Math.floor(share * (answer.bytes.length + 1))).sort((a, b) => a - b);
}

const newParser = (): AnswerParser => new AnswerParser(ROOMY, HEADERS);
const arrivalOf = ({ bodiless, endsWithConnection }: Answer) => ({ bodiless, ends: endsWithConnection });
const shares = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 6 });

describe("valid answers in pieces", () => {
  it("a valid answer reads as what it is, whole, split anywhere, and byte by byte", () => {
    fc.assert(
      fc.property(answers(), shares, (answer, where) => {
        const expected = expectedOf(answer);
        for (const cuts of [[], cutsOf(answer, where), everyCut(answer.bytes)]) {
          expect(feed(newParser(), answer.bytes, { ...arrivalOf(answer), cuts })).toEqual(expected);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("one parser reads many answers, whatever the one before was and however it ended", () => {
    const random = stream(9, "target");
    const draw = (): number => random.random();
    const parser = newParser();
    for (let round = 0; round < 300; round += 1) {
      const answer = answerOf(draw);
      const cuts = cutsOf(answer, Array.from({ length: Math.floor(4 * draw()) }, draw));
      expect(feed(parser, answer.bytes, { ...arrivalOf(answer), cuts })).toEqual(expectedOf(answer));
      const broken = answerOf(draw);
      const end = Math.floor(draw() * broken.bytes.length);
      feed(parser, broken.bytes.subarray(0, end), { bodiless: broken.bodiless, ends: draw() < 0.5 });
    }
  });

  it("an answer cut anywhere is being read, and its end in order is a cut of the part in which it came", () => {
    fc.assert(
      fc.property(answers(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (answer, share) => {
        const parser = newParser();
        const end = Math.floor(share * answer.bytes.length);
        const { state } = feed(parser, answer.bytes.subarray(0, end), { bodiless: answer.bodiless });
        expect(state).toBe("reading");
        const over = parser.end();
        const { refusal } = parser;
        if (end === 0) expect(refusal).toBe("H1_NO_ANSWER");
        else if (over === "refused") expect(["H1_CUT_HEAD", "H1_CUT_BODY"]).toContain(refusal);
        else expect([answer.endsWithConnection, refusal]).toEqual([true, ""]);
        expect(parser.end()).toBe(over);
      }),
    );
  });

  it("several answers in one piece: the first is read, the others are excess, and the connection is used no more", () => {
    fc.assert(
      fc.property(
        answers().filter((answer) => !answer.endsWithConnection),
        answers(),
        fc.boolean(),
        (first, second, isSplit) => {
          const bytes = Buffer.concat([first.bytes, second.bytes]);
          const cuts = isSplit ? [first.bytes.length - 1] : [];
          const reading = feed(newParser(), bytes, { bodiless: first.bodiless, cuts });
          const excess = { persistent: false, excessBytes: second.bytes.length };
          expect(reading).toEqual({ ...expectedOf(first), ...excess });
        },
      ),
    );
  });
});

/** Bytes that are nearly an answer: one of them is another, or missing, or there is one more. */
const mutated = fc
  .tuple(answers(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(255), fc.nat(2))
  .map(([answer, share, byte, kind]) => {
    const at = Math.floor(share * answer.bytes.length);
    const insert = kind === 1 ? [] : [byte];
    const bytes = Buffer.concat([
      answer.bytes.subarray(0, at),
      Uint8Array.from(insert),
      answer.bytes.subarray(kind === 2 ? at : at + 1),
    ]);
    return { bytes, bodiless: answer.bodiless };
  });

describe("bytes that are no valid answer", () => {
  it("never throw, and read alike whole, split anywhere, and byte by byte", () => {
    fc.assert(
      fc.property(
        fc.oneof({ weight: 4, arbitrary: mutated }, fc.record({ bytes: fc.uint8Array(), bodiless: fc.boolean() })),
        shares,
        fc.boolean(),
        ({ bytes, bodiless }, where, ends) => {
          const [whole, ...others] = [[], where.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b)]
            .concat([[...everyCut(bytes)]])
            .map((cuts) => feed(newParser(), bytes, { bodiless, cuts, ends }));
          for (const reading of others) expect(reading).toEqual(whole);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("take no more than the bounds allow: a stream without end is not read without end", () => {
    const limits = { headBytesMax: 200, interimMax: 2, bodyBytesMax: 1000 };
    const endless = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 20 }),
      fc
        .constantFrom("a", "a:b\r\n", "1\r\nx\r\n", "0", "1;", "HTTP/1.1 100 C\r\n\r\n")
        .map((text) => Buffer.from(text)),
    );
    const begun = fc.constantFrom(
      "",
      "HTTP/1.1 200 OK",
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    fc.assert(
      fc.property(begun, endless, (head, piece) => {
        const parser = new AnswerParser(limits, HEADERS);
        parser.begin(false);
        let state = parser.read(Buffer.from(head), 0, head.length);
        let taken = head.length;
        // Three heads, chunks of one byte with the longest sizes and all the extensions that may be, trailers.
        const bound = 3 * 200 + 1000 * 21 + 16_384 + 200;
        while (state === "reading" && taken <= bound) {
          state = parser.read(piece, 0, piece.length);
          taken += piece.length;
        }
        expect(state).not.toBe("reading");
      }),
    );
  });

  it("say nothing more once refused, and nothing of the refusal is left for the next answer", () => {
    const parser = newParser();
    const refused = feed(parser, Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: x\r\nRetry-After: 7\r\n\r\n"));
    expect(refused).toMatchObject({ state: "refused", refusal: "H1_LENGTH" });
    const answer = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    expect(parser.read(answer, 0, answer.length)).toBe("refused");
    expect(parser.end()).toBe("refused");
    expect(readingOf(parser, "refused")).toEqual(refused);
    expect(feed(parser, answer)).toEqual({
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
    });
  });
});
