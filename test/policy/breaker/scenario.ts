/** Arrivals at a backend that is well, half down and down by turns; and what a breaker made of them. */

import type { CircuitBreaker } from "../../../src/policy/breaker/circuit-breaker.ts";
import { REFUSED } from "../../../src/policy/parts.ts";

/**
 * One call. Times are eighths of a second, which are exact in seconds and in milliseconds: calls arrive at even eighths and
 * end at odd ones, so that no end meets an arrival or a tick of a whole second.
 */
export interface Arrival {
  readonly atSeconds: number;
  readonly tookSeconds: number;
  readonly failed: boolean;
}

export interface Verdicts {
  /** For each arrival, whether it was sent as it came. */
  readonly sent: readonly boolean[];
  /** Such as "open 12.125", in order. */
  readonly changes: readonly string[];
}

export interface Traffic {
  readonly seconds: number;
  /** The first is at 0. Most arrivals in a quarter of a second. */
  readonly mostPerQuarter: number;
  /** 0: every call ends an eighth after it began. */
  readonly longestQuarters: number;
  /** One spell in so many is without traffic, and takes this many seconds. */
  readonly idleSeconds?: number;
}

/** Linear congruential, modulo 2^32 (Numerical Recipes); for variety, not for statistics. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let skipped = 0; skipped < 8; skipped++) next();
  return next;
}

export function arrivalsOf(seed: number, traffic: Traffic): readonly Arrival[] {
  const random = randomOf(seed);
  const arrivals: Arrival[] = [{ atSeconds: 0, tookSeconds: 0.125, failed: false }];
  let at = 0.25;
  while (at < traffic.seconds) {
    const failing = [0.02, 0.3, 0.6, 1][Math.floor(random() * 4)] as number;
    const until = at + 1 + Math.floor(random() * 24);
    if (traffic.idleSeconds !== undefined && random() < 0.3) at += traffic.idleSeconds;
    for (; at < until && at < traffic.seconds; at += 0.25) {
      const count = Math.floor(random() * (traffic.mostPerQuarter + 1));
      for (let n = 0; n < count; n++) {
        const quarters = Math.floor(random() * (traffic.longestQuarters + 1));
        arrivals.push({ atSeconds: at, tookSeconds: 0.125 + quarters / 4, failed: random() < failing });
      }
    }
  }
  return arrivals;
}

/** What one of our breakers makes of them. Calls that end at the same time end in the order in which they began. */
export function throughOurs(arrivals: readonly Arrival[], breaker: CircuitBreaker): Verdicts {
  const sent: boolean[] = [];
  const changes: string[] = [];
  let { phase, openings } = breaker;
  const note = (at: number) => {
    if (breaker.openings > openings) changes.push(`open ${at}`);
    else if (breaker.phase === "closed" && phase !== "closed") changes.push(`closed ${at}`);
    ({ phase, openings } = breaker);
  };
  let underWay: { readonly arrival: Arrival; readonly ticket: number; readonly endSeconds: number }[] = [];
  const endAll = (until: number) => {
    const ended = underWay.filter((call) => call.endSeconds <= until).sort((a, b) => a.endSeconds - b.endSeconds);
    underWay = underWay.filter((call) => call.endSeconds > until);
    for (const { arrival, ticket, endSeconds } of ended) {
      breaker.leave(ticket, arrival.failed ? "failure" : "success", arrival.tookSeconds, endSeconds);
      note(endSeconds);
    }
  };
  for (const arrival of arrivals) {
    endAll(arrival.atSeconds);
    const ticket = breaker.enter(arrival.atSeconds);
    note(arrival.atSeconds);
    sent.push(ticket !== REFUSED);
    if (ticket === REFUSED) continue;
    underWay.push({ arrival, ticket, endSeconds: arrival.atSeconds + arrival.tookSeconds });
  }
  endAll(Number.POSITIVE_INFINITY);
  return { sent, changes };
}
