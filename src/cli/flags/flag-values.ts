/** The values that flags take, each parsed strictly. Parsers throw a RangeError that says the rule and the value. */

import { Classifier } from "../../engine/classify.ts";
import type { LatePolicy } from "../../engine/trial-spec.ts";
import { parseDuration } from "../../plan/units.ts";
import { isHeaderName } from "../../policy/option.ts";
import { redactUrl } from "../../result/redact.ts";

/** A parser of a word, and the words that it takes. */
export interface ChoiceParser {
  (text: string): string;
  readonly choices: readonly string[];
}

export function oneOf(choices: readonly string[]): ChoiceParser {
  const parse = (text: string): string => {
    if (choices.includes(text)) return text;
    throw new RangeError(`must be one of ${choices.join(", ")}: current value is "${text}"`);
  };
  return Object.assign(parse, { choices });
}

/** The words that a parser takes, if it is one of {@link oneOf}. */
export function choicesOf(parse: object | undefined): readonly string[] | undefined {
  return parse !== undefined && "choices" in parse ? (parse as ChoiceParser).choices : undefined;
}

export function wholeNumber(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`must be a whole number from 0 to 2^53 - 1: current value is "${text}"`);
}

export function nonNegativeCount(text: string): number {
  const value = /^\d+(?:_\d+)*$/.test(text) ? Number(text.replaceAll("_", "")) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`must be a whole number such as 0 or 100: current value is "${text}"`);
}

export function positiveNumber(text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && Number.isFinite(value)) return value;
  throw new RangeError(`must be a number above 0: current value is "${text}"`);
}

/** A share between nothing and all, in percent: `5%` is 0.05. */
export function effect(text: string): number {
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  const share = Number(percent ?? Number.NaN) / 100;
  if (share > 0 && share < 1) return share;
  throw new RangeError(`must be a share above 0% and below 100% such as 5% or 2.5%: current value is "${text}"`);
}

const SIZE_UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** Bytes: `500kB`, `100MB`, `1GiB`. */
export function byteSize(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(B|kB|MB|GB|KiB|MiB|GiB)$/.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * (SIZE_UNITS[unit ?? ""] ?? Number.NaN));
  if (bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw new RangeError(`must be a size with a unit such as 500kB, 100MB or 1GiB: current value is "${text}"`);
}

/** `send`, or `drop:50ms`. */
export function latePolicy(text: string): LatePolicy {
  if (text === "send") return { kind: "send" };
  const [, after] = /^drop:(.+)$/.exec(text) ?? [];
  if (after === undefined)
    throw new RangeError(`must be send, or drop with a time such as drop:50ms: current value is "${text}"`);
  return { kind: "drop", afterSeconds: positiveDuration(after) };
}

export function outputFile(text: string): string {
  if (text !== "" && !/[/\\]$/.test(text)) return text;
  throw new RangeError(`must be the name of a file: current value is "${text}"`);
}

export function positiveDuration(text: string): number {
  const seconds = parseDuration(text);
  if (seconds > 0) return seconds;
  throw new RangeError(`must be longer than nothing: current value is "${text}"`);
}

export function url(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.hostname !== "" && isDecodable(parsed)) {
    return text;
  }
  throw new RangeError(
    `must be an http or https URL such as http://127.0.0.1:8080/: current value is "${redactUrl(text)}"`,
  );
}

/** Whether user and password are percent-encoded rightly. */
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

export function method(text: string): string {
  const upper = text.toUpperCase();
  if (/^[A-Z]+$/.test(upper) && upper !== "CONNECT") return upper;
  throw new RangeError(`must be an HTTP method such as GET or POST: current value is "${text}"`);
}

/** What the transport decides by itself, and refuses to be told (RFC 9110, 7.6.1 and 8.6; RFC 9112, 6.1). */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** RFC 9110, 5.6.2 and 5.5: a token, a colon, and a value without control characters. */
export function header(text: string, before: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    // Its end may be a secret.
    const start = JSON.stringify(text.slice(0, 12));
    throw new RangeError(`must be written 'Name: value', without line breaks: current value starts with ${start}`);
  }
  if (CONNECTION_HEADERS.has(name.toLowerCase())) {
    throw new RangeError(`must not be one that belongs to the connection or the body: current value is "${name}"`);
  }
  return [...before, [name, value]];
}

/** RFC 9110, 5.6.2. */
export function headerName(text: string): string {
  if (isHeaderName(text)) return text.toLowerCase();
  throw new RangeError(
    `must be the name of a header such as x-criticality, not of one that belongs to the connection or the body: current value is "${text}"`,
  );
}

export function overloadList(text: string): string[] {
  const tokens = text.split(",").map((token) => token.trim());
  new Classifier(tokens, []);
  return tokens;
}

export function okList(text: string): string[] {
  const tokens = text.split(",").map((token) => token.trim());
  new Classifier([], tokens);
  return tokens;
}
