/** Whether a request may be sent once more: what its body, its method and the end of its last attempt allow. */

import type { Fault } from "../policy/policy.ts";

/**
 * Why a retry that the policy wanted was not made. `body`: it can be read only once, and was, or may have been.
 * `method`: the work may have been done, and doing it twice may harm.
 */
export type ResendObstacle = "body" | "method";

/** What matters of a request when it is to be sent again. */
export interface Resendable {
  /** See {@link isRepeatableBody}. */
  readonly hasRepeatableBody: boolean;
  /** Sending it twice has the effect of sending it once. */
  readonly isIdempotent: boolean;
}

/** RFC 9110, 9.2.2. */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

export function isIdempotentMethod(method: string): boolean {
  return IDEMPOTENT.has(method.toUpperCase());
}

/**
 * What stands against sending `request` again after an attempt that ended like this. 429 and 503 say that the work was
 * not done, and a connection that was refused carried nothing.
 *
 * @param retryUnsafe the caller's word that twice does no harm.
 */
export function obstacleTo(
  { hasRepeatableBody, isIdempotent }: Resendable,
  status: number,
  fault: Fault,
  retryUnsafe: boolean,
): ResendObstacle | undefined {
  if (!hasRepeatableBody) return "body";
  if (isIdempotent || retryUnsafe) return undefined;
  return status === 429 || status === 503 || fault === "refused" ? undefined : "method";
}

const REPEATABLE_TAGS: ReadonlySet<string> = new Set([
  "ArrayBuffer",
  "SharedArrayBuffer",
  "Blob",
  "File",
  "FormData",
  "URLSearchParams",
]);

/**
 * Whether a body can be sent any number of times: none, text, buffers, forms, blobs. Streams and iterables of any kind
 * cannot: what was read of them is gone.
 */
export function isRepeatableBody(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === "string" || ArrayBuffer.isView(body)) return true;
  return typeof body === "object" && REPEATABLE_TAGS.has(tagOf(body));
}

/** By its tag, since a body may come from another copy of the class than this runtime's own. */
function tagOf(body: object): string {
  const tag: unknown = (body as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return typeof tag === "string" ? tag : "";
}
