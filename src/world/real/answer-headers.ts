/** The headers of an answer that a policy reads, see {@link PolicyCall.answerHeaders}. */

import { datedHeaders } from "../../policy/hint/dated-headers.ts";

export class AnswerHeaders {
  /** Names in lower case. */
  readonly wanted: readonly string[];
  readonly #lengths: ReadonlySet<number>;

  /** @param wanted names in lower case. */
  constructor(wanted: readonly string[]) {
    this.wanted = wanted;
    this.#lengths = new Set(wanted.map((name) => name.length));
  }

  /**
   * Those that are there, in their order.
   *
   * @param raw name and value in turn, as undici hands them over; nothing is decoded but what is wanted.
   */
  pick(raw: readonly Buffer[]): readonly string[] | undefined {
    let picked: string[] | undefined;
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const bytes = raw[index] as Buffer;
      if (!this.#lengths.has(bytes.length)) continue;
      const name = bytes.toString("latin1").toLowerCase();
      if (!this.wanted.includes(name)) continue;
      picked ??= [];
      picked.push(name, (raw[index + 1] as Buffer).toString("latin1"));
    }
    return picked === undefined ? undefined : this.dated(picked);
  }

  /** @param picked wanted headers, name and value in turn. */
  dated(picked: readonly string[]): readonly string[] | undefined {
    return datedHeaders(picked, this.wanted, () => new Date().toUTCString());
  }
}

/** undefined when nothing is wanted. */
export function answerHeaders(wanted: readonly string[] | undefined): AnswerHeaders | undefined {
  return wanted === undefined || wanted.length === 0 ? undefined : new AnswerHeaders(wanted);
}
