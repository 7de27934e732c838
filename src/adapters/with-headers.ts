/** Adds a policy's headers to those of a request, in any of the forms that undici takes. */

import type { DispatchOptions } from "./undici-types.ts";

/** @param added name, value, ...; they stand in for those of the same name. */
export function withHeaders(options: DispatchOptions, added: readonly string[] | undefined): DispatchOptions {
  if (added === undefined || added.length === 0) return options;
  const replaced = new Set<string>();
  for (let i = 0; i < added.length; i += 2) replaced.add((added[i] as string).toLowerCase());
  const headers: unknown[] = [];
  for (const [name, value] of pairsOf(options.headers)) {
    if (!replaced.has(name.toLowerCase())) headers.push(name, value);
  }
  headers.push(...added);
  return { ...options, headers };
}

function* pairsOf(headers: unknown): Iterable<readonly [string, unknown]> {
  if (headers === undefined || headers === null) return;
  if (Array.isArray(headers)) {
    for (let i = 0; i + 1 < headers.length; i += 2) yield [String(headers[i]), headers[i + 1]];
  } else if (Symbol.iterator in (headers as object)) {
    yield* headers as Iterable<readonly [string, unknown]>;
  } else {
    yield* Object.entries(headers as object);
  }
}
