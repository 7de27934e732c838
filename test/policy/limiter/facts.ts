/** Fact sequences: tables of `rtt, inFlight, dropped -> limit`, in the manner of Netflix/concurrency-limits. */

import { expect } from "vitest";
import type { Limit } from "../../../src/policy/limiter/limit.ts";

export type Fact = readonly [rttSeconds: number, inFlight: number, dropped: boolean, limit: number];

export const ok = false;
export const dropped = true;

/** Feeds the facts one by one, each sent when the one before it ended, and compares the limit after each. */
export function expectLimits(limit: Limit, facts: readonly Fact[]): void {
  let start = 0;
  const seen = facts.map(([rtt, inFlight, isDropped]) => {
    limit.sample(start, rtt, inFlight, isDropped);
    start += rtt;
    return limit.limit;
  });
  expect(seen).toEqual(facts.map(([, , , expected]) => expected));
}

/** Notes what it is fed. */
export class NotedLimit implements Limit {
  limit = 20;
  readonly samples: [rttSeconds: number, inFlight: number, dropped: boolean][] = [];

  sample(_startSeconds: number, rttSeconds: number, inFlight: number, isDropped: boolean): void {
    this.samples.push([rttSeconds, inFlight, isDropped]);
  }
}
