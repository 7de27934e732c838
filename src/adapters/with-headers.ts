/** Adds a policy's headers to those of a request, in any of the forms that undici takes. */

import type { DispatchOptions } from "./undici-types.ts";

/**
 * What is no list of headers stays none, for undici to refuse as it does without a policy.
 *
 * @param added name, value, ...; they stand in for those of the same name.
 */
export function withHeaders(options: DispatchOptions, added: readonly string[] | undefined): DispatchOptions {
  if (added === undefined || added.length === 0) return options;
  const { headers = null } = options;
  if (headers === null) return { ...options, headers: [...added] };
  if (typeof headers !== "object") return options;
  const replaced = new Set<unknown>();
  for (let i = 0; i < added.length; i += 2) replaced.add((added[i] as string).toLowerCase());
  const stays = (name: unknown): boolean => !replaced.has(typeof name === "string" ? name.toLowerCase() : name);
  if (!Array.isArray(headers) && Symbol.iterator in headers) {
    const entries: unknown[] = [...(headers as Iterable<unknown>)].filter(
      (entry) => !Array.isArray(entry) || stays(entry[0]),
    );
    for (let i = 0; i < added.length; i += 2) entries.push(added.slice(i, i + 2));
    return { ...options, headers: new Set(entries) };
  }
  const given: readonly unknown[] = Array.isArray(headers) ? headers : Object.entries(headers).flat(1);
  const merged: unknown[] = [];
  // One name too many stays, and makes the list an odd one.
  for (let i = 0; i < given.length; i += 2) if (stays(given[i])) merged.push(...given.slice(i, i + 2));
  merged.push(...added);
  return { ...options, headers: merged };
}
