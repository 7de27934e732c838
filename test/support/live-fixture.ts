/** What a trial tells of one of its seconds, with figures that a screen can show. */

import { binsToText } from "../../src/engine/bins-text.ts";
import { SparseHistogram } from "../../src/engine/sparse-histogram.ts";
import type { JournalSecond, WrittenDistribution } from "../../src/result/journal-schema.ts";

function distribution(valuesMs: readonly number[]): WrittenDistribution {
  const histogram = new SparseHistogram();
  for (const value of valuesMs) histogram.record(value / 1000);
  const data = histogram.data();
  const { count, sumSeconds, minSeconds, maxSeconds } = data;
  return { count, sumSeconds, minSeconds, maxSeconds, bins: binsToText(data) };
}

/** The second that ends at `elapsedSeconds`: 100 calls, 34 of them ok in 10 to 43 ms, 61 throttled, 5 failed. */
export function journalSecond(elapsedSeconds: number): JournalSecond {
  const ok = distribution(Array.from({ length: 34 }, (_, index) => 10 + index));
  const lateness = distribution(Array.from({ length: 100 }, () => 0.3));
  return {
    kind: "second",
    elapsedSeconds,
    arrivalsEndSeconds: elapsedSeconds,
    drainSeconds: 0,
    worstLatenessP99Seconds: 0.0003,
    gained: {
      measured: {
        planned: 100,
        made: 105,
        sent: 44,
        inFlight: 0,
        startedAfterEnd: 0,
        lateStarted: 0,
        lateDropped: 0,
        outcomes: { ok: 34, throttled: 61, failed: 5 },
        classes: { accepted: 34, overloaded: 10 },
        statuses: { "200": 34, "503": 10 },
        errors: {},
        response: { ok: { ...ok, zeros: 0, censored: 0 } },
        service: {},
        wait: undefined,
        lateness: { ...lateness, zeros: 0, censored: 0 },
      },
      warmup: undefined,
      series: [],
    },
    open: { warmup: undefined, measured: undefined, series: [] },
    facts: {
      startedAt: "2026-01-02T03:04:05.000Z",
      connections: {
        wanted: 9,
        opened: 9,
        failed: 0,
        preopened: 0,
        reused: 400,
        closedByPeer: 0,
        peak: 9,
        stale: 0,
        addresses: {},
      },
      remarks: [],
    },
  } as JournalSecond;
}
