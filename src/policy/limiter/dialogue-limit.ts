/** Cautious increase, aggressive decrease: an AIMD that grows by one for each round trip. */

import type { Evidence } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { answerHeader } from "./answer-header.ts";
import type { Limit } from "./limit.ts";

const INITIAL_LIMIT = 20;
const MIN_LIMIT = 1;
const MAX_LIMIT = 1_000_000;
const BACKOFF_RATIO = 0.9;

/**
 * ```text
 * dropped:                                   limit = max(1, floor(0.9 x limit))
 * else inFlight >= floor(0.9 x limit):       limit = min(1,000,000, limit + 1 / limit)
 * ```
 * from 20. The limit is a fraction, and an attempt passes while `inFlight < floor(limit)`.
 *
 * A round trip that fills the limit has about `limit` samples of `1 / limit` each, so it adds about 1, where Netflix' AIMD
 * doubles. The decrease is rounded down, else it would do nothing near 1. One cut for each drop, also of the same round trip.
 *
 * The source has these constants only, no options.
 *
 * Source: palantir/dialogue dialogue-core `CautiousIncreaseAggressiveDecreaseConcurrencyLimiter.java`.
 */
export class DialogueLimit implements Limit {
  limit: number = INITIAL_LIMIT;

  sample(_startSeconds: number, _rttSeconds: number, inFlight: number, dropped: boolean): void {
    if (dropped) {
      this.limit = Math.max(MIN_LIMIT, Math.floor(this.limit * BACKOFF_RATIO));
    } else if (inFlight >= Math.floor(this.limit * BACKOFF_RATIO)) {
      this.limit = Math.min(MAX_LIMIT, this.limit + 1 / this.limit);
    }
  }
}

/** Headers that {@link dialogueHostEvidence} reads. */
export const dialogueHostHeaders: readonly string[] = ["location"];

/**
 * What a host-level limiter of dialogue learns: 501 to 599, a 308 that names another place, and faults of the network are
 * drops; 429 and 500 are the business of the endpoint's own limiter and say nothing of the host; the rest are successes.
 * (The source also ignores answers that an application marked in a header of its own.)
 *
 * Source: palantir/dialogue, the same file, `Behavior.HOST_LEVEL`.
 */
export function dialogueHostEvidence(call: PolicyCall, _verdict: AttemptVerdict): Evidence {
  const { status, fault } = call;
  if (fault !== "none") return fault === "client" ? "ignored" : "failure";
  if (status === 429 || status === 500) return "ignored";
  if (status > 500 && status < 600) return "failure";
  if (status === 308 && answerHeader(call, "location") !== undefined) return "failure";
  return "success";
}
