/** The Huffman code of HPACK (RFC 7541, appendix B), for the text that headers are made of. */

/**
 * The characters by the length of their code. The code is canonical: codes of one length are consecutive, in the order of the
 * characters, and follow those of the next shorter length; so lengths are all that there is to say. What is not ASCII text
 * has codes of 19 bits and more, of which the backslash has the first.
 */
const BY_LENGTH: readonly (readonly [bits: number, characters: string])[] = [
  [5, "012aceiost"],
  [6, " %-./3456789=A_bdfghlmnpru"],
  [7, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"],
  [8, "&*,;XZ"],
  [10, '!"()?'],
  [11, "'+|"],
  [12, "#>"],
  [13, "\0$@[]~"],
  [14, "^}"],
  [15, "<`{"],
  [19, "\\"],
];

/** By the code with a 1 in front of it, so that leading zeros count. */
const CHARACTERS: ReadonlyMap<number, string> = tableOf(BY_LENGTH);
const BITS_MAX = 19;
const PADDING_BITS_MAX = 7;

/** @returns the text, or undefined when it holds anything but ASCII text or does not end as it should. */
export function huffmanText(bytes: Buffer): string | undefined {
  let text = "";
  let code = 1;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = (code << 1) | ((byte >> bit) & 1);
      const character = CHARACTERS.get(code);
      if (character !== undefined) {
        text += character;
        code = 1;
      } else if (code >= 2 ** (BITS_MAX + 1)) return undefined;
    }
  }
  return isPadding(code) ? text : undefined;
}

/** What is left is the beginning of the code of all ones, of less than a byte (RFC 7541, 5.2). */
function isPadding(code: number): boolean {
  return code < 2 ** (PADDING_BITS_MAX + 1) && ((code + 1) & code) === 0;
}

function tableOf(byLength: typeof BY_LENGTH): Map<number, string> {
  const table = new Map<number, string>();
  let code = 0;
  let length = 0;
  for (const [bits, characters] of byLength) {
    code <<= bits - length;
    length = bits;
    for (const character of characters) {
      table.set((1 << bits) | code, character);
      code += 1;
    }
  }
  return table;
}
