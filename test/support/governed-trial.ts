/** Trials under the governor as a search could have left them, made from a line for each window. */

import type { Governed, GovernedWindowRow } from "../../src/result/governor-schema.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { type TrialFacts, trialFixture } from "./trial-fixture.ts";

export interface WindowFacts {
  readonly offer: number;
  /** Share of its attempts. Default none. */
  readonly failedShare?: number;
  /** Attempts sent for each call. Default 1. */
  readonly sentPerCall?: number;
  /** Default 5 and 8. */
  readonly p50Ms?: number | null;
  readonly p99Ms?: number | null;
  readonly decision?: GovernedWindowRow["decision"];
}

const WINDOW_SECONDS = 2;

/** One after another, from 0 s on; all calls of a rate of that offer, each with one attempt that ends at once. */
export function windowRows(facts: readonly WindowFacts[]): GovernedWindowRow[] {
  return facts.map(({ offer, failedShare = 0, sentPerCall = 1, p50Ms = 5, p99Ms = 8, decision }, index) => {
    const calls = Math.round(offer * WINDOW_SECONDS);
    const sent = Math.round(calls * sentPerCall);
    const failures = Math.round(sent * failedShare);
    return {
      fromSeconds: index * WINDOW_SECONDS,
      toSeconds: (index + 1) * WINDOW_SECONDS,
      offer,
      calls,
      sent,
      successes: sent - failures,
      failures,
      ok: sent - failures,
      decision: decision ?? decisionFor(failedShare),
      lastBad: null,
      p50Ms,
      p99Ms,
    };
  });
}

function decisionFor(failedShare: number): GovernedWindowRow["decision"] {
  if (failedShare > 0.05) return "down";
  return failedShare < 0.01 ? "up" : "hold";
}

export function governedTrial(
  windows: readonly WindowFacts[],
  governed: Partial<Governed> = {},
  facts: TrialFacts = {},
): TrialResult {
  const rows = windowRows(windows);
  const base: Omit<Governed, "offer" | "goodput" | "failedShare"> = {
    control: "rate",
    high: 0.05,
    low: 0.01,
    floor: 1,
    ceiling: null,
    start: 1,
    windowSeconds: WINDOW_SECONDS,
    holdWindows: 12,
    holdBand: 0.15,
    ended: "held",
    windows: rows,
    events: [],
    ...governed,
  };
  const last = rows.slice(-base.holdWindows);
  const total = (of: (row: GovernedWindowRow) => number): number => last.reduce((sum, row) => sum + of(row), 0);
  const attempts = total((row) => row.successes + row.failures);
  const seconds = Math.max(1, rows.length * WINDOW_SECONDS);
  const none = rows.length === 0;
  return {
    ...trialFixture({ policy: { name: "none", options: {} }, durationSeconds: seconds, ...facts }),
    governor: {
      ...base,
      offer: none ? null : total((row) => row.offer) / last.length,
      goodput: none ? null : total((row) => row.ok) / (last.length * WINDOW_SECONDS),
      failedShare: attempts === 0 ? null : total((row) => row.failures) / attempts,
    },
  };
}

/** What the default search makes of a sharp capacity of 400/s: up by doubling, one cut, then at rest. */
export const SHARP_SEARCH: readonly WindowFacts[] = [
  ...[1, 2, 4, 8, 16, 32, 64, 128, 256].map((offer) => ({ offer })),
  { offer: 512, failedShare: 0.21, p50Ms: 12, p99Ms: 20 },
  ...Array.from({ length: 12 }, () => ({ offer: 404.5, failedShare: 0.011, p50Ms: 9, p99Ms: 12 })),
];
