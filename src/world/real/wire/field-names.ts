/** The fields that anybody here reads, found by the bytes of their names. */

import { isWord } from "./characters.ts";

/** What a field says about the message it stands in. */
export type Meaning = "length" | "coding" | "connection" | "keep-alive" | "nothing";

export interface KnownField {
  /** In lower case. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly meaning: Meaning;
  /** Whether a policy asked for it. */
  readonly wanted: boolean;
}

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ["content-length", "length"],
  ["transfer-encoding", "coding"],
  ["connection", "connection"],
  ["keep-alive", "keep-alive"],
]);

export class FieldNames {
  /** The longest name that is known. */
  readonly lengthMax: number;
  readonly #byLength: (readonly KnownField[] | undefined)[] = [];

  /** @param wanted names in lower case. */
  constructor(wanted: readonly string[]) {
    const names = [...new Set([...MEANINGS.keys(), ...wanted])];
    this.lengthMax = Math.max(...names.map((name) => name.length));
    for (const name of names) {
      const field: KnownField = {
        name,
        bytes: Buffer.from(name, "latin1"),
        meaning: MEANINGS.get(name) ?? "nothing",
        wanted: wanted.includes(name),
      };
      this.#byLength[name.length] = [...(this.#byLength[name.length] ?? []), field];
    }
  }

  /** Finds the name in bytes[from .. to), whatever its case. @returns undefined for one that nobody reads. */
  find(bytes: Uint8Array, from: number, to: number): KnownField | undefined {
    const candidates = this.#byLength[to - from];
    if (candidates === undefined) return undefined;
    for (const field of candidates) if (isWord(field.bytes, bytes, from, to)) return field;
    return undefined;
  }
}
