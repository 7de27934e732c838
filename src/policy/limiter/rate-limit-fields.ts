/** The header fields RateLimit and RateLimit-Policy. */

import { type BareItem, type ListItem, parameterOf, parseStructuredList } from "./structured-list.ts";

/** What is left of a quota. */
export interface ServiceLimit {
  /** The name of the policy. */
  readonly name: string;
  /** `r`: quota units that remain. */
  readonly remaining: number;
  /** `t`: seconds until there are more; `undefined` when the server does not say. */
  readonly resetSeconds: number | undefined;
}

/** A quota and the time over which it is given. */
export interface QuotaPolicy {
  readonly name: string;
  /** `q`: quota units. */
  readonly quota: number;
  /** `qu`: what a unit is. */
  readonly unit: string;
  /** `w`: seconds; `undefined` when the server does not say. */
  readonly windowSeconds: number | undefined;
}

/** The unit of a policy that names none. */
const REQUESTS = "requests";

/**
 * Parses a RateLimit field: `"default";r=50;t=30`.
 *
 * @returns `undefined` when it is malformed: it is to be ignored then, as a whole.
 *
 * Source: ietf-wg-httpapi/ratelimit-headers draft-ietf-httpapi-ratelimit-headers.md, "RateLimit Field".
 */
export function parseRateLimit(text: string): readonly ServiceLimit[] | undefined {
  return parseItems(text, (name, item) => {
    const remaining = countOf(parameterOf(item, "r"));
    const reset = parameterOf(item, "t");
    const resetSeconds = countOf(reset);
    if (remaining === undefined || (reset !== undefined && resetSeconds === undefined)) return undefined;
    return { name, remaining, resetSeconds };
  });
}

/**
 * Parses a RateLimit-Policy field: `"burst";q=100;w=60,"daily";q=1000;w=86400`.
 *
 * @returns `undefined` when it is malformed.
 *
 * Source: the same draft, "RateLimit-Policy Field".
 */
export function parseRateLimitPolicy(text: string): readonly QuotaPolicy[] | undefined {
  return parseItems(text, (name, item) => {
    const quota = countOf(parameterOf(item, "q"));
    const unit = parameterOf(item, "qu") ?? { kind: "string", value: REQUESTS };
    const window = parameterOf(item, "w");
    const windowSeconds = countOf(window);
    if (quota === undefined || unit.kind !== "string") return undefined;
    if (window !== undefined && (windowSeconds === undefined || windowSeconds === 0)) return undefined;
    return { name, quota, unit: unit.value, windowSeconds };
  });
}

function parseItems<T>(text: string, read: (name: string, item: ListItem) => T | undefined): readonly T[] | undefined {
  const items = parseStructuredList(text);
  if (items === undefined) return undefined;
  const found: T[] = [];
  for (const item of items) {
    const partition = parameterOf(item, "pk");
    if (item.item.kind !== "string" || (partition !== undefined && partition.kind !== "bytes")) return undefined;
    const one = read(item.item.value, item);
    if (one === undefined) return undefined;
    found.push(one);
  }
  return found;
}

/** @returns `undefined` when it is missing or not an integer of at least 0. */
function countOf(item: BareItem | undefined): number | undefined {
  return item?.kind === "integer" && item.value >= 0 ? item.value : undefined;
}
