/** An assertion's text in tokens, each with the place where it begins. */

import { parseDuration } from "../plan/units.ts";
import { syntaxError } from "./syntax-error.ts";

export type Token = { readonly at: number; readonly end: number } & (
  | { readonly kind: "number" | "percent" | "duration"; readonly value: number }
  /** A word or a quoted text: part of a path, an arm, or the name of a function. */
  | { readonly kind: "name"; readonly name: string; readonly quoted: boolean }
  | { readonly kind: "sign"; readonly sign: string }
  | { readonly kind: "end" }
);

const SPACE = /\s*/uy;
const NUMBER = /(?:\d+(?:_\d+)*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/uy;
const QUANTITY = /\d[\w.]*/uy;
const PERCENT = /\s*%/uy;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/uy;
/** After a dot: `statuses.503`, the 9Ms of `p99.9Ms`. */
const PART = /[A-Za-z0-9_]+/uy;
const QUOTED = /"((?:[^"\\]|\\["\\])*)"|'((?:[^'\\]|\\['\\])*)'/uy;
const SIGN = /<=|>=|==|!=|[<>=!+\-*/().:,]/uy;

/** @throws RangeError */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = matchAt(SPACE, text, 0)?.[0].length ?? 0;
  while (at < text.length) {
    const token = continued(text, at, tokens.at(-1)) ?? tokenAt(text, at);
    tokens.push(token);
    at = token.end + (matchAt(SPACE, text, token.end)?.[0].length ?? 0);
  }
  tokens.push({ kind: "end", at: text.length, end: text.length });
  return tokens;
}

function tokenAt(text: string, at: number): Token {
  const number = matchAt(NUMBER, text, at);
  if (number !== undefined) {
    const end = at + number[0].length;
    const value = Number(number[0].replaceAll("_", ""));
    if (!Number.isFinite(value)) throw syntaxError(text, at, `'${number[0]}' is too large`);
    const percent = matchAt(PERCENT, text, end);
    return percent === undefined
      ? { kind: "number", at, end, value }
      : { kind: "percent", at, end: end + percent[0].length, value };
  }
  const quantity = matchAt(QUANTITY, text, at);
  if (quantity !== undefined) return { at, end: at + quantity[0].length, ...durationOf(text, at, quantity[0]) };
  const name = matchAt(NAME, text, at);
  if (name !== undefined) return { kind: "name", at, end: at + name[0].length, name: name[0], quoted: false };
  const quoted = quotedAt(text, at);
  if (quoted !== undefined) return quoted;
  const sign = matchAt(SIGN, text, at);
  if (sign !== undefined) return { kind: "sign", at, end: at + sign[0].length, sign: sign[0] };
  const character = String.fromCodePoint(text.codePointAt(at) as number);
  if (character === '"' || character === "'") throw syntaxError(text, at, `the quote ${character} is never closed`);
  throw syntaxError(text, at, `there is no place for ${JSON.stringify(character)}`);
}

/** Within a path a dot is no decimal point, and digits are a name: `statuses.503`. */
function continued(text: string, at: number, before: Token | undefined): Token | undefined {
  if (before?.end !== at) return undefined;
  if (before.kind === "name" && text[at] === ".") return { kind: "sign", at, end: at + 1, sign: "." };
  const part = before.kind === "sign" && before.sign === "." ? matchAt(PART, text, at) : undefined;
  return part === undefined ? undefined : { kind: "name", at, end: at + part[0].length, name: part[0], quoted: false };
}

function quotedAt(text: string, at: number): Token | undefined {
  const quoted = matchAt(QUOTED, text, at);
  if (quoted === undefined) return undefined;
  const name = (quoted[1] ?? quoted[2] ?? "").replaceAll(/\\(.)/gu, "$1");
  return { kind: "name", at, end: at + quoted[0].length, name, quoted: true };
}

function durationOf(text: string, at: number, quantity: string): { readonly kind: "duration"; readonly value: number } {
  try {
    return { kind: "duration", value: parseDuration(quantity) };
  } catch {
    throw syntaxError(text, at, `'${quantity}' must be a number, a percentage or a duration such as 250ms or 1.5s`);
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
