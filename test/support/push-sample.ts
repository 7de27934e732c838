import type { PushSample } from "../../src/report/push/metrics.ts";

/** A sample of a trial half-way; `change` replaces what the test is about. */
export function pushSample(change: Partial<PushSample> = {}): PushSample {
  return {
    tool: { name: "overload-bench", version: "1.2.3" },
    command: "ab",
    arm: "on",
    pair: 2,
    policy: "sre (K=2)",
    world: "real",
    phase: "measured",
    startMs: 1_767_323_045_123,
    atMs: 1_767_323_059_456,
    calls: { ok: 480, throttled: 850, failed: 70 },
    attempts: { accepted: 480, overloaded: 220 },
    planned: 1412,
    sent: 703,
    inFlight: 12,
    rates: { offered: 100, sent: 44.5, goodput: 34 },
    responseOk: { p50Seconds: 0.026, p99Seconds: 0.043 },
    latenessP99Seconds: 0.0003,
    verdict: "valid",
    ...change,
  };
}
