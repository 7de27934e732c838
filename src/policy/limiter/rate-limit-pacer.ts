/** Paces attempts by what the server says is left of its quotas. */

import { RETRY_AFTER_HEADERS, retryAfterSeconds } from "../hint/retry-after.ts";
import { type NumberSpec, resolveOptions } from "../option.ts";
import type { Pacer } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { answerHeader } from "./answer-header.ts";
import { ForwardTime } from "./forward-time.ts";
import { parseRateLimit, parseRateLimitPolicy, type QuotaPolicy, type ServiceLimit } from "./rate-limit-fields.ts";

/** Headers that {@link RateLimitPacer} reads. */
export const rateLimitHeaders: readonly string[] = ["ratelimit", "ratelimit-policy", ...RETRY_AFTER_HEADERS];

/** The options' defaults and bounds. */
export const rateLimitPacerOptions = {
  maxWait: {
    default: 300,
    kind: "number",
    min: 0.001,
    max: Number.POSITIVE_INFINITY,
    unit: "seconds",
    doc: "Longest pause between two attempts, whatever the server says",
  },
} as const satisfies Record<string, NumberSpec>;

/** Options of {@link RateLimitPacer}. */
export type RateLimitPacerOptions = { readonly [Name in keyof typeof rateLimitPacerOptions]?: number | undefined };

/** Quotas beyond these are not followed. */
const QUOTAS_MAX = 8;
/** The server rounds `t` to whole seconds: two answers of one window may differ by this in when it ends. */
const RESET_ROUNDING_SECONDS = 1;
/** So that time moves on between two questions, also on a clock whose readings are large. */
const SHORTEST_WAIT_SECONDS = 1e-6;

/** Units that an attempt uses one of; the draft's text and its registry differ. */
const REQUEST_UNITS: readonly string[] = ["requests", "request"];

/** What is known of the quota of one name. */
class Quota {
  readonly name: string;
  /** Of the policy: units for each window, and its length; `NaN` when not known. */
  units: number = Number.NaN;
  windowSeconds: number = Number.NaN;
  countsRequests = true;
  /** Units left until then; nothing is known of them when it is `NaN`. */
  remaining = 0;
  resetAtSeconds: number = Number.NaN;

  constructor(name: string) {
    this.name = name;
  }

  learnPolicy({ quota, unit, windowSeconds }: QuotaPolicy): void {
    this.units = quota;
    this.windowSeconds = windowSeconds ?? Number.NaN;
    this.countsRequests = REQUEST_UNITS.includes(unit);
  }

  learnLimit({ remaining, resetSeconds }: ServiceLimit, time: number): void {
    const resetAt = time + (resetSeconds ?? this.windowSeconds);
    const isSameWindow =
      time < this.resetAtSeconds && Math.abs(resetAt - this.resetAtSeconds) <= RESET_ROUNDING_SECONDS;
    this.remaining = isSameWindow ? Math.min(this.remaining, remaining) : remaining;
    this.resetAtSeconds = isSameWindow ? Math.max(this.resetAtSeconds, resetAt) : resetAt;
  }

  /** When the next attempt may go. */
  nextSeconds(time: number, lastSentSeconds: number): number {
    if (!this.countsRequests) return Number.NEGATIVE_INFINITY;
    if (time >= this.resetAtSeconds) {
      this.remaining = this.units;
      this.resetAtSeconds = Number.isNaN(this.units) ? Number.NaN : time + this.windowSeconds;
    }
    if (Number.isNaN(this.resetAtSeconds)) return Number.NEGATIVE_INFINITY;
    if (this.remaining < 1) return this.resetAtSeconds;
    return lastSentSeconds + (this.resetAtSeconds - lastSentSeconds) / (this.remaining + 1);
  }
}

/**
 * ```text
 * after an answer with "name";r=..;t=..:  remaining = r, resetAt = now + t
 * an attempt may go at:                   lastSent + (resetAt - lastSent) / (remaining + 1); it takes 1 of remaining
 * at remaining = 0:                       at resetAt
 * after resetAt:                          remaining = q, resetAt = now + w where a policy says so; else at once
 * ```
 * for the latest of all quotas, so that what is left is spread over the time that it must last: r attempts in t seconds.
 * A client that sends less than that seldom waits.
 *
 * An answer never gives back what attempts since have taken: within one window, which answers know to a second, `remaining`
 * only falls. Answers that come late or out of order thus raise nothing.
 *
 * - Retry-After with 429 or 503 has precedence: nothing goes before it is over, and the RateLimit of that answer is ignored.
 * - RateLimit counts whatever the status. Malformed fields are ignored as a whole, as are quotas of bytes or of concurrency.
 * - `t` is missing: the policy's window stands in for it; without one there is no pace.
 * - Partition keys are not told apart: of several with one name the last one counts.
 * - One attempt goes after `maxWait` in any case, as the draft's security considerations advise.
 *
 * Waiting attempts contend for the next place. About 150 bytes and 350 for each quota, of at most 8. Parsing an
 * answer allocates, and takes about a microsecond.
 *
 * Source: ietf-wg-httpapi/ratelimit-headers draft-ietf-httpapi-ratelimit-headers.md, "Client Behavior", which leaves the way
 * to slow down to the client. To spread evenly is our choice.
 */
export class RateLimitPacer implements Pacer {
  private readonly time: ForwardTime;
  private readonly maxWaitSeconds: number;
  private readonly quotas: Quota[] = [];
  private policyText: string | undefined;
  private lastSentSeconds: number;
  private pausedUntilSeconds: number = Number.NEGATIVE_INFINITY;

  /**
   * @param startSeconds the present reading of the clock.
   * @throws {RangeError} when an option is out of its bounds.
   */
  constructor(startSeconds: number, options: RateLimitPacerOptions = {}) {
    this.maxWaitSeconds = resolveOptions("create RateLimitPacer", rateLimitPacerOptions, options).maxWait;
    this.time = new ForwardTime(startSeconds);
    this.lastSentSeconds = this.time.at(startSeconds);
  }

  acquire(nowSeconds: number): number {
    const time = this.time.at(nowSeconds);
    let next = Number.NEGATIVE_INFINITY;
    for (const quota of this.quotas) next = Math.max(next, quota.nextSeconds(time, this.lastSentSeconds));
    next = Math.max(this.pausedUntilSeconds, Math.min(next, this.lastSentSeconds + this.maxWaitSeconds));
    if (next > time) return Math.max(SHORTEST_WAIT_SECONDS, next - time);
    this.lastSentSeconds = time;
    for (const quota of this.quotas) quota.remaining -= 1;
    return 0;
  }

  settle(call: PolicyCall, _verdict: AttemptVerdict, nowSeconds: number): void {
    const time = this.time.at(nowSeconds);
    if (call.answerHeaders === undefined) return;
    this.learnPolicies(answerHeader(call, "ratelimit-policy"), time);
    if (call.status === 429 || call.status === 503) {
      const pause = retryAfterSeconds(call.answerHeaders, this.maxWaitSeconds);
      if (pause !== undefined) {
        this.pausedUntilSeconds = Math.max(this.pausedUntilSeconds, time + pause);
        return;
      }
    }
    const text = answerHeader(call, "ratelimit");
    const limits = text === undefined ? undefined : parseRateLimit(text);
    if (limits === undefined) return;
    for (const limit of limits) this.quotaOf(limit.name, time)?.learnLimit(limit, time);
  }

  /** Policies hardly ever change, so the same text is not parsed again. */
  private learnPolicies(text: string | undefined, time: number): void {
    if (text === undefined || text === this.policyText) return;
    this.policyText = text;
    for (const policy of parseRateLimitPolicy(text) ?? []) this.quotaOf(policy.name, time)?.learnPolicy(policy);
  }

  /** @param time quotas that ended before make room for new ones. */
  private quotaOf(name: string, time: number): Quota | undefined {
    const known = this.quotas.find((quota) => quota.name === name);
    if (known !== undefined) return known;
    const quota = new Quota(name);
    if (this.quotas.length < QUOTAS_MAX) {
      this.quotas.push(quota);
      return quota;
    }
    const ended = this.quotas.findIndex(({ resetAtSeconds }) => !(resetAtSeconds > time));
    if (ended === -1) return undefined;
    this.quotas[ended] = quota;
    return quota;
  }
}
