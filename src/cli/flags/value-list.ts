/** Lists of values as the flags of a sweep write them: `1.1,1.5,2`, `500..4000/8`, `1x-capacity..3x-capacity/5`, and policies with their options. */

import { isDeepStrictEqual } from "node:util";
import { isFile } from "./policy-flag.ts";

/** A value, and how it was written. */
export interface Listed<T> {
  readonly text: string;
  readonly value: T;
}

const RANGE = /^(\d[\d_]*(?:\.\d+)?)([a-z/-]*)\.\.(\d[\d_]*(?:\.\d+)?)([a-z/-]*)(?:\/([^/]*))?$/u;
/** Values of a range are as short as this leaves them. */
const DIGITS = 6;
const VALUES_MAX = 200;

/**
 * Parses a list of which each entry is a value or a range: `500..4000/8` are the 8 values 500, 1000 ... 4000, evenly apart.
 *
 * @param parse of one value. @throws RangeError that says the rule and the value, but not the flag.
 */
export function parseList<T>(text: string, parse: (text: string) => T): readonly Listed<T>[] {
  const texts = text.split(",").flatMap((entry) => expand(entry.trim(), text));
  return distinct(
    texts.map((one) => ({ text: one, value: parse(one) })),
    text,
  );
}

/**
 * Parses a list of policies: a part with `=` belongs to the policy before it, so that `sre,window=10,retry` are two and
 * `sre,k=1.1,sre,k=2` are two as well.
 */
export function parsePolicyList<T>(text: string, parse: (text: string) => T): readonly Listed<T>[] {
  const policies: string[] = [];
  for (const part of text.split(",").map((piece) => piece.trim())) {
    const last = policies.length - 1;
    if (last >= 0 && isOption(part)) policies[last] += `,${part}`;
    else policies.push(part);
  }
  return distinct(
    policies.map((one) => ({ text: one, value: parse(one) })),
    text,
  );
}

/** `k=2`, but neither `sre:k=2` nor `./a=b.ts`. */
function isOption(part: string): boolean {
  return !isFile(part) && /^[^=:]+=/u.test(part);
}

function expand(entry: string, whole: string): readonly string[] {
  const [, from, fromUnit, to, toUnit, count] = RANGE.exec(entry) ?? [];
  if (from === undefined || to === undefined) return [entry];
  // The unit may stand behind the second number alone.
  const unit = toUnit;
  if (fromUnit !== "" && fromUnit !== toUnit) {
    throw new RangeError(`must begin and end a range in the same unit, as in 200ms..1000ms/5: ${current(whole)}`);
  }
  const values = /^\d+$/u.test(count ?? "") ? Number(count) : Number.NaN;
  if (!(values >= 2 && values <= VALUES_MAX)) {
    throw new RangeError(
      `must say how many values a range has, from 2 to ${VALUES_MAX}, as in 500..4000/8: ${current(whole)}`,
    );
  }
  const [low, high] = [Number(from.replaceAll("_", "")), Number(to.replaceAll("_", ""))];
  const step = (high - low) / (values - 1);
  return Array.from({ length: values }, (_, index) => {
    const value = index === values - 1 ? high : low + index * step;
    return `${Number(value.toPrecision(DIGITS))}${unit}`;
  });
}

/** Also where a value is written in two ways: `1s` and `1000ms`. */
function distinct<T>(values: readonly Listed<T>[], whole: string): readonly Listed<T>[] {
  for (const [index, { text, value }] of values.entries()) {
    const first = values.findIndex((other) => other.text === text || isDeepStrictEqual(other.value, value));
    if (first === index) continue;
    const again = values[first]?.text === text ? "" : `, as "${values[first]?.text}"`;
    throw new RangeError(`must give each value once, and has "${text}" again${again}: ${current(whole)}`);
  }
  return values;
}

function current(text: string): string {
  return `current value is ${JSON.stringify(text)}`;
}
