/** A strict parser for lists of items in structured fields (RFC 9651, 3.1 and 4.2). */

/** A bare item. The text of a kind that nobody asks for here (a token, a decimal, a date, ...) is left as it came. */
export type BareItem =
  | { readonly kind: "integer"; readonly value: number }
  | { readonly kind: "string" | "bytes" | "other"; readonly value: string };

/** An item with its parameters, in order: of several with one key the last one counts. */
export interface ListItem {
  readonly item: BareItem;
  readonly keys: readonly string[];
  readonly values: readonly BareItem[];
}

/** Longer fields, and longer lists, are not looked at. */
const LENGTH_MAX = 4096;
const ITEMS_MAX = 32;
const PARAMETERS_MAX = 32;

const STRING = /"((?:[ !#-[\]-~]|\\["\\])*)"/y;
const NUMBER = /-?\d{1,15}(?:\.\d{1,3})?/y;
const BYTES = /:[A-Za-z0-9+/]*={0,2}:/y;
const OTHER = /\?[01]|[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*|@-?\d{1,15}|%"(?:[ !#$&-~]|%[0-9a-f]{2})*"/y;
const KEY = /[a-z*][a-z0-9_\-.*]*/y;
const ESCAPED = /\\(["\\])/g;
const WHOLE_DIGITS_OF_DECIMAL_MAX = 12;

const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

const TRUE: BareItem = { kind: "other", value: "?1" };

/** @returns `undefined` when `text` is not a list of items: a field with any fault counts for nothing as a whole. */
export function parseStructuredList(text: string): readonly ListItem[] | undefined {
  return text.length > LENGTH_MAX ? undefined : new Cursor(text).list();
}

/** The last parameter of that key. */
export function parameterOf({ keys, values }: ListItem, key: string): BareItem | undefined {
  const index = keys.lastIndexOf(key);
  return index === -1 ? undefined : values[index];
}

class Cursor {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  list(): ListItem[] | undefined {
    const items: ListItem[] = [];
    this.skip(false);
    while (items.length < ITEMS_MAX) {
      const item = this.item();
      if (item === undefined) return undefined;
      items.push(item);
      this.skip(true);
      if (this.at === this.text.length) return items;
      if (!this.take(COMMA)) return undefined;
      this.skip(true);
    }
    return undefined;
  }

  private item(): ListItem | undefined {
    const item = this.bareItem();
    if (item === undefined) return undefined;
    const keys: string[] = [];
    const values: BareItem[] = [];
    while (this.take(SEMICOLON)) {
      this.skip(false);
      const key = this.match(KEY);
      const value = this.take(EQUALS) ? this.bareItem() : TRUE;
      if (key === undefined || value === undefined || keys.length === PARAMETERS_MAX) return undefined;
      keys.push(key);
      values.push(value);
    }
    return { item, keys, values };
  }

  private bareItem(): BareItem | undefined {
    const code = this.text.charCodeAt(this.at);
    if ((code >= ZERO && code <= NINE) || code === MINUS) return this.number();
    if (code === QUOTE) {
      const quoted = this.match(STRING);
      return quoted === undefined ? undefined : { kind: "string", value: quoted.slice(1, -1).replace(ESCAPED, "$1") };
    }
    const value = this.match(code === COLON ? BYTES : OTHER);
    return value === undefined ? undefined : { kind: code === COLON ? "bytes" : "other", value };
  }

  private number(): BareItem | undefined {
    const value = this.match(NUMBER);
    if (value === undefined) return undefined;
    const point = value.indexOf(".");
    if (point === -1) return { kind: "integer", value: Number(value) };
    const wholeDigits = value.startsWith("-") ? point - 1 : point;
    return wholeDigits > WHOLE_DIGITS_OF_DECIMAL_MAX ? undefined : { kind: "other", value };
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found[0];
  }

  private take(code: number): boolean {
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at += 1;
    return true;
  }

  private skip(tabsToo: boolean): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== SPACE && !(tabsToo && code === TAB)) return;
      this.at += 1;
    }
  }
}
