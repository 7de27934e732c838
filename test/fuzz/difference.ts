/** Where a reference sees something else than our parser does. */

import type { FuzzCase, Verdict } from "./fuzz-case.ts";

export type ReferenceName = "grammar" | "llhttp" | "undici" | "node";

/** What two verdicts differ in: `state` while the connection is open, `outcome` when it has ended; the others are of answers. */
export type Aspect = "state" | "outcome" | "status" | "length" | "content" | "persistence" | "excess" | "headers";

export interface Difference {
  readonly tried: FuzzCase;
  /** Its bytes in latin1. */
  readonly text: string;
  readonly reference: ReferenceName;
  readonly ours: Verdict;
  readonly theirs: Verdict;
  readonly aspect: Aspect;
  /**
   * Ours takes what the reference does not, or another message than it: the dangerous direction, in which a strict parser has
   * no business to be.
   */
  readonly lax: boolean;
}

export function differencesOf(
  tried: FuzzCase,
  text: string,
  reference: ReferenceName,
  ours: Verdict,
  theirs: Verdict,
): Difference[] {
  const difference = (aspect: Aspect, lax: boolean): Difference => ({
    tried,
    text,
    reference,
    ours,
    theirs,
    aspect,
    lax,
  });
  const found: Difference[] = [];
  if (ours.open !== theirs.open) {
    const lax = ours.open !== "refused" && (ours.open === "complete" || theirs.open === "refused");
    found.push(difference("state", lax));
  }
  if (ours.ended !== theirs.ended) found.push(difference("outcome", ours.ended === "complete"));
  if (ours.ended !== "complete" || theirs.ended !== "complete") return found;
  if (ours.status !== theirs.status) found.push(difference("status", true));
  if (ours.bodyBytes !== theirs.bodyBytes) found.push(difference("length", true));
  else if (ours.body !== undefined && ours.body !== theirs.body) found.push(difference("content", true));
  if (theirs.excessBytes !== undefined && ours.excessBytes !== theirs.excessBytes) {
    found.push(difference("excess", true));
  }
  if (ours.persistent !== theirs.persistent) found.push(difference("persistence", ours.persistent));
  if (ours.headers.join("\n") !== theirs.headers.join("\n")) found.push(difference("headers", true));
  return found;
}
