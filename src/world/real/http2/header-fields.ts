/**
 * The fields of a header block whose names are known to be wanted (HPACK, RFC 7541). We allow the peer no dynamic table, so a
 * block stands for itself.
 */

import { H2ProtocolError } from "./frame-reader.ts";
import { huffmanText } from "./huffman.ts";

/** The names of the static table (RFC 7541, appendix A) that anybody here may want. */
const STATIC_NAMES: ReadonlyMap<number, string> = new Map([
  [33, "date"],
  [53, "retry-after"],
]);
const INTEGER_BYTES_MAX = 4;

/** @returns name, value, ... of the fields whose name is in `wanted`; a value that is no ASCII text is left out. */
export function fieldsOf(block: Buffer, wanted: readonly string[]): string[] {
  const reader = new BlockReader(block);
  const fields: string[] = [];
  while (!reader.done) {
    const first = reader.peek();
    if ((first & 0x80) !== 0) reader.integer(7);
    else if ((first & 0xe0) === 0x20) reader.integer(5);
    else {
      const index = reader.integer((first & 0x40) !== 0 ? 6 : 4);
      const name = index === 0 ? reader.text() : STATIC_NAMES.get(index);
      const value = reader.text();
      if (name !== undefined && value !== undefined && wanted.includes(name)) fields.push(name, value);
    }
  }
  return fields;
}

class BlockReader {
  readonly #block: Buffer;
  #at = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  get done(): boolean {
    return this.#at >= this.#block.length;
  }

  peek(): number {
    return this.#block[this.#at] as number;
  }

  /** An integer whose first part has `bits` bits (RFC 7541, 5.1). */
  integer(bits: number): number {
    const most = 2 ** bits - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let part = 0; part < INTEGER_BYTES_MAX; part += 1) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * part);
      if ((byte & 0x80) === 0) return value;
    }
    throw compressionError("a number too large");
  }

  /** A string literal (RFC 7541, 5.2); undefined when it is no ASCII text. */
  text(): string | undefined {
    if (this.done) throw compressionError("a field cut short");
    const coded = (this.peek() & 0x80) !== 0;
    const length = this.integer(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw compressionError("a text cut short");
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    return coded ? huffmanText(bytes) : bytes.toString("latin1");
  }

  #byte(): number {
    if (this.done) throw compressionError("a number cut short");
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }
}

function compressionError(what: string): H2ProtocolError {
  return new H2ProtocolError("COMPRESSION_ERROR", `Headers with ${what}`);
}
