/** One client with a concurrency limiter in front of a server model: an event simulation of a few lines, seeded. */

import { stream } from "../../../src/plan/streams.ts";
import type { ConcurrencyLimiter, Evidence } from "../../../src/policy/parts.ts";

export interface Answer {
  readonly tookSeconds: number;
  readonly evidence: Evidence;
}

/** How an attempt that reaches the server at a time will end. */
export type ServerModel = (nowSeconds: number) => Answer;

/** Serves up to `perSecond` in `tookSeconds` each and refuses the rest at once: a fast 503. */
export function shedding(perSecond: number, tookSeconds: number): ServerModel {
  const burst = 10;
  let tokens = burst;
  let last = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + (now - last) * perSecond);
    last = now;
    if (tokens < 1) return { tookSeconds: 2 ** -10, evidence: "failure" };
    tokens -= 1;
    return { tookSeconds, evidence: "success" };
  };
}

/** Refuses everything: an outage behind a gateway that answers 503. */
export function refusing(tookSeconds: number): ServerModel {
  return () => ({ tookSeconds, evidence: "failure" });
}

/** `workers` that serve in `serviceSeconds` each, in order, from a queue without a bound. Nothing is refused. */
export function queueing(workers: number, serviceSeconds: number): ServerModel {
  const freeAt = new Array<number>(workers).fill(0);
  return (now) => {
    const worker = freeAt.indexOf(Math.min(...freeAt));
    const end = Math.max(now, freeAt[worker] as number) + serviceSeconds;
    freeAt[worker] = end;
    return { tookSeconds: end - now, evidence: "success" };
  };
}

export interface Run {
  /** In the second half of the run. */
  readonly meanLimit: number;
  readonly sent: number;
  readonly refused: number;
  readonly served: number;
  readonly meanLatencySeconds: number;
  /** At the end, after all answers. */
  readonly inFlight: number;
}

/** Offers attempts at random gaps; what the limiter does not admit is lost. */
export function runClient(
  limiter: ConcurrencyLimiter,
  server: ServerModel,
  perSecond: number,
  seconds: number,
  seed = 1,
): Run {
  const gaps = stream(seed, "arrivals", 0);
  const pending: { readonly end: number; readonly place: number; readonly answer: Answer }[] = [];
  const sums = { limit: 0, offered: 0, sent: 0, refused: 0, served: 0, latency: 0 };
  let inFlight = 0;
  const settleUntil = (now: number) => {
    for (let next = pending[0]; next !== undefined && next.end <= now; next = pending[0]) {
      pending.shift();
      inFlight -= 1;
      limiter.release(next.place, next.answer.tookSeconds, next.answer.evidence, next.end);
    }
  };
  for (let now = 0; now < seconds; now += (2 * gaps.random()) / perSecond) {
    settleUntil(now);
    const isCounted = now >= seconds / 2;
    if (isCounted) {
      sums.offered += 1;
      sums.limit += limiter.limit;
    }
    const place = limiter.acquire(now);
    if (place === 0) continue;
    inFlight += 1;
    const answer = server(now);
    const end = now + answer.tookSeconds;
    const behind = pending.findIndex((other) => other.end > end);
    pending.splice(behind === -1 ? pending.length : behind, 0, { end, place, answer });
    if (!isCounted) continue;
    sums.sent += 1;
    if (answer.evidence === "failure") sums.refused += 1;
    else {
      sums.served += 1;
      sums.latency += answer.tookSeconds;
    }
  }
  settleUntil(Number.POSITIVE_INFINITY);
  return {
    meanLimit: sums.limit / sums.offered,
    sent: sums.sent,
    refused: sums.refused,
    served: sums.served,
    meanLatencySeconds: sums.latency / sums.served,
    inFlight,
  };
}
