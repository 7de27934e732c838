/** The characters of HTTP, as tables by byte. */

export const HTAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SP = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const EQUALS = 0x3d;
export const BACKSLASH = 0x5c;

/** Of a token (RFC 9110, 5.6.2): its lower case; 0 for what may not stand in one. */
export const TOKEN_LOWER: Uint8Array = tableOf((byte) => {
  const text = String.fromCharCode(byte);
  return /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(text) ? text.toLowerCase().charCodeAt(0) : 0;
});

/** 1 for what may stand in a field's value or a reason phrase: visible characters, blanks, obs-text (RFC 9110, 5.5). */
export const IS_TEXT: Uint8Array = tableOf((byte) => (byte === HTAB || (byte >= SP && byte !== 0x7f) ? 1 : 0));

/** The value of a hexadecimal digit; 255 for what is none. */
export const HEX_VALUE: Uint8Array = tableOf((byte) => {
  const text = String.fromCharCode(byte);
  return /[0-9A-Fa-f]/.test(text) ? Number.parseInt(text, 16) : 255;
});

export function isBlank(byte: number): boolean {
  return byte === SP || byte === HTAB;
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function tableOf(value: (byte: number) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => value(byte));
}
