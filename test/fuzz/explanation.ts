/** What makes a difference a known one. */

import type { Aspect, Difference, ReferenceName } from "./difference.ts";

export interface Explanation {
  readonly name: string;
  readonly sentence: string;
  /** Sections of the standard. */
  readonly source: string;
  readonly right: "ours" | "theirs" | "both";
  readonly references: readonly ReferenceName[];
  readonly aspects: readonly Aspect[];
  /** Whether it may be ours that takes what the reference refuses. */
  readonly lax: boolean;
  readonly holds: (difference: Difference) => boolean;
}

/** llhttp itself, and those that stand on it. */
export const LLHTTP: readonly ReferenceName[] = ["llhttp", "undici", "node"];
/** What undici says instead of llhttp's reason when a Content-Length was read, and also of an answer that has no body. */
export const UNDICI_LENGTH_REASON = "Response body length does not match content-length header";
export const OUTCOMES: readonly Aspect[] = ["state", "outcome"];
