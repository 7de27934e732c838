/** The characters of HTTP, as tables by byte. */

const HTAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SP = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const EQUALS = 0x3d;
export const BACKSLASH = 0x5c;
const DEL = 0x7f;

/** Of a token (RFC 9110, 5.6.2): its lower case; 0 for what may not stand in one. */
export const TOKEN_LOWER: Uint8Array = tableOf((byte) => {
  const text = String.fromCharCode(byte);
  return /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(text) ? text.toLowerCase().charCodeAt(0) : 0;
});

/** The value of a hexadecimal digit; 255 for what is none. */
export const HEX_VALUE: Uint8Array = tableOf((byte) => {
  const text = String.fromCharCode(byte);
  return /[0-9A-Fa-f]/.test(text) ? Number.parseInt(text, 16) : 255;
});

/** Of a field's value or a reason phrase: visible characters, blanks, obs-text (RFC 9110, 5.5). */
export function isText(byte: number): boolean {
  return (byte >= SP && byte !== DEL) || byte === HTAB;
}

export function isBlank(byte: number): boolean {
  return byte === SP || byte === HTAB;
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether bytes[from .. to) is a word, whatever its case. @param word in lower case. */
export function isWord(word: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  const { length } = word;
  if (to - from !== length) return false;
  const lower = TOKEN_LOWER;
  for (let at = 0; at < length; at += 1) if (lower[bytes[from + at] as number] !== word[at]) return false;
  return true;
}

/** The end of the token that begins there: `from` when none does. */
export function tokenEnd(bytes: Uint8Array, from: number, to: number): number {
  // What another module exports is looked up at each step of a loop, what is local once.
  const lower = TOKEN_LOWER;
  let at = from;
  while (at < to && lower[bytes[at] as number] !== 0) at += 1;
  return at;
}

function tableOf(value: (byte: number) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => value(byte));
}
