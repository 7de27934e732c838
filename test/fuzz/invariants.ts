/** What must hold of our parser for any bytes, besides what {@link OurParser} holds it to. */

import type { Draws } from "./draws.ts";
import { type FuzzCase, LIMITS, latin1, SMALL_LIMITS, type Verdict, WANTED } from "./fuzz-case.ts";
import { cutsOf } from "./generate-case.ts";
import { OurParser } from "./our-parser.ts";

const BYTEWISE_MAX = 2000;

export class Invariants {
  readonly #parsers: readonly OurParser[] = [new OurParser(LIMITS, [...WANTED, "date"]), new OurParser(SMALL_LIMITS)];

  /** The same whatever the pieces: in one, byte by byte, at random. @throws Error when it is not, or contradicts itself. */
  check(tried: FuzzCase, draws: Draws): void {
    for (const parser of this.#parsers) {
      const whole = parser.read({ ...tried, cuts: [] });
      this.#hold(parser, { ...tried, cuts: cutsOf(draws, tried.bytes.length) }, whole);
      if (tried.bytes.length > BYTEWISE_MAX) continue;
      const everywhere = Array.from({ length: Math.max(0, tried.bytes.length - 1) }, (_, index) => index + 1);
      this.#hold(parser, { ...tried, cuts: everywhere }, whole);
    }
  }

  #hold(parser: OurParser, tried: FuzzCase, whole: Verdict): void {
    const cut = parser.read(tried);
    // Bytes behind an answer are known, and end its connection, only when they come in the piece with its end.
    const comparePersistence = cut.excessBytes === whole.excessBytes;
    const text = latin1(tried.bytes);
    const [ofCut, ofWhole] = [cut, whole].map(({ excessBytes: _, persistent, headers, ...verdict }) =>
      JSON.stringify({
        ...verdict,
        persistent: comparePersistence && persistent,
        // An answer without a date has the present one, which may be another the second time.
        headers: headers.map((part) => (text.includes(part) || WANTED.includes(part) ? part : "")),
      }),
    );
    if (ofCut !== ofWhole) throw new Error(`pieces change the result: ${ofWhole}, and ${ofCut} in pieces`);
  }
}
