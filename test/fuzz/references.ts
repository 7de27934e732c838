/** All that is compared, and what a case comes to. */

import { type Difference, differencesOf, type ReferenceName } from "./difference.ts";
import { type FuzzCase, LIMITS, latin1, SMALL_LIMITS, type Verdict } from "./fuzz-case.ts";
import { readByGrammar } from "./grammar-reference.ts";
import { LlhttpReference } from "./llhttp-reference.ts";
import { readByNode } from "./node-reference.ts";
import { OurParser } from "./our-parser.ts";
import { readByUndici } from "./undici-reference.ts";

/** Node, Bun and Deno all have llhttp under node:http, each a version of its own. */
export const CLIENTS: readonly ReferenceName[] = ["undici", "node"];

/** Cases are read by one after the other with the same parsers, as on a connection: nothing of one may show in the next. */
export class References {
  readonly #ours = new OurParser(LIMITS);
  /** Also without any header that somebody reads. */
  readonly #oursBounded = new OurParser(SMALL_LIMITS, []);
  readonly #llhttp = new LlhttpReference();

  /** What a parser of ours makes of a case. @throws Error when it contradicts itself. */
  ours(tried: FuzzCase): Verdict {
    return this.#ours.read(tried);
  }

  /** With the grammar, also under small bounds, and with the parser inside undici. @throws Error as {@link ours}. */
  parserDifferences(tried: FuzzCase): Difference[] {
    const text = latin1(tried.bytes);
    const ours = this.#ours.read(tried);
    const found = differencesOf(tried, text, "grammar", ours, readByGrammar(tried, LIMITS));
    const bounded = { ...readByGrammar(tried, SMALL_LIMITS), headers: [] };
    found.push(...differencesOf(tried, text, "grammar", this.#oursBounded.read(tried), bounded));
    // Where the grammar agrees, its body is what ours counted.
    const withBody = { ...ours, body: found.length === 0 ? readByGrammar(tried, LIMITS).body : undefined };
    return [...found, ...differencesOf(tried, text, "llhttp", withBody, this.#llhttp.read(tried))];
  }

  /** What the parser inside undici makes of a case. */
  llhttp(tried: FuzzCase): Verdict {
    return this.#llhttp.read(tried);
  }

  /** With a whole client: slower by far. @throws Error as {@link ours}. */
  async clientDifferences(tried: FuzzCase, reference: ReferenceName): Promise<Difference[]> {
    const theirs = await (reference === "node" ? readByNode(tried) : readByUndici(tried));
    // A client shows of a connection what becomes of it, and bytes behind the answer end it whenever they come.
    const isAlone = this.#ours.read({ ...tried, cuts: [] }).excessBytes === 0;
    const ours = this.#ours.read(tried);
    const compared = isAlone ? theirs : { ...theirs, persistent: ours.persistent };
    return differencesOf(tried, latin1(tried.bytes), reference, ours, compared);
  }
}
