/** Trials and results with a story: the overload collapse, its cure, and the odd ends that a report must survive. */

import { compareArms } from "../../src/comparison/compare-arms.ts";
import { compareTwin } from "../../src/experiment/twin.ts";
import type { Reason, Result, ServiceLaw, TrialResult, Twin } from "../../src/result/schema.ts";
import { connectionsFixture, latencyFixture, resultFixture, trialFixture } from "./trial-fixture.ts";

const NONE = { name: "none", options: { maxAttempts: 3 } };
const SRE = { name: "sre", options: { k: 2, window: 120, retryRatio: 0.1, maxAttempts: 3 } };

export const LATE: Reason = {
  code: "lateness",
  severity: "suspect",
  message: "1 % of the calls started 12.3 ms or more after their time",
  figure: 12.3,
  limit: 5,
  hint: "Lower --rps, give the generator a core of its own, or run it on another machine than the target",
};

const LATE_DROPS: Reason = {
  code: "late-drops",
  severity: "invalid",
  message: "180 calls were dropped for being late",
  figure: 0.018,
  limit: 0.01,
  hint: "Lower --rps",
};

const DROPPED: Reason = {
  code: "in-flight-bound",
  severity: "invalid",
  message: "2000 of 10000 calls were dropped: 1024 were under way already",
  figure: 2000,
  limit: 0,
  hint: "Raise --max-in-flight, or shorten --timeout, so that the generator does not limit the load itself",
};

export const CUT: Reason = {
  code: "interrupted",
  severity: "suspect",
  message: "Interrupted after 3.2 s: the figures hold for that part only",
  figure: 3.2,
  limit: 0,
  hint: "Run it again to the end",
};

const SHORT: Reason = {
  code: "short-run",
  severity: "note",
  message: "The run was shorter than the policy's window of 120 s: its clients were cold",
  figure: 10,
  limit: 120,
  hint: "Raise --duration or lower the policy's window to see its steady state",
};

/** Clients without overload control at twice the capacity: the target rejects all day and serves nobody. */
export function collapsed(pair: number, ok = 389, planned = 19_980): TrialResult {
  const failed = planned - ok;
  const overloaded = 3 * failed + Math.round(0.6 * ok);
  return trialFixture({
    arm: "off",
    pair,
    policy: NONE,
    calls: { ok, failed },
    attempts: { accepted: ok, overloaded },
    statuses: { "200": ok, "503": overloaded - 12 },
    errors: { timeout: 12 },
    response: { ok: latencyFixture(ok, 61.5, 240.1, 311), failed: latencyFixture(failed, 88.2, 301.4, 1042) },
    service: {
      accepted: latencyFixture(ok, 48.3, 118.2, 160.4),
      overloaded: latencyFixture(overloaded, 31.2, 99.6, 1000, 12),
    },
    users: { jain: 0.77, okMin: 0, okMax: 11 },
    connections: connectionsFixture(640, 612, 2),
    generator: {
      workers: 1,
      cpuSeconds: 7.1,
      wallSeconds: 10.3,
      inFlightMax: 612,
      stealRatio: 0.004,
      rssMaxBytes: 140_000_000,
      busyRatio: 0.52,
      waitRatio: 0.034,
      stallMaxMs: 61.4,
      clockJumpMs: 0.8,
      gaps: {
        count: 9_990,
        calls: 2,
        cv: 0.74,
        plannedCv: 0.71,
        jitter: 0.19,
        distance: 0.011,
        law: { distance: 0.021, score: 2.1 },
      },
    },
    target: {
      accepted: ok,
      rejected: overloaded,
      abandoned: 0,
      cpuAcceptSeconds: 0.39,
      cpuRejectSeconds: 8.9,
      cpuTotalSeconds: 10.2,
      wallSeconds: 10.3,
      queueMax: 50,
    },
  });
}

/** The same arrivals through clients that hold back. */
export function throttled(pair: number, ok = 6_890, planned = 19_980): TrialResult {
  const rejected = planned - ok - 640 - 310;
  return trialFixture({
    arm: "on",
    pair,
    policy: SRE,
    calls: { ok, throttled: rejected, budget: 640, failed: 310 },
    attempts: { accepted: ok, overloaded: 6_702 },
    statuses: { "200": ok, "503": 6_702 },
    response: { ok: latencyFixture(ok, 38.4, 71.2, 98.5), failed: latencyFixture(310, 52.9, 80.4, 91) },
    service: { accepted: latencyFixture(ok, 37.9, 60.3, 75.1), overloaded: latencyFixture(6_702, 0.9, 4.2, 11.8) },
    users: { jain: 0.93, okMin: 31, okMax: 104 },
    connections: connectionsFixture(100, 100, 0),
    generator: {
      workers: 1,
      cpuSeconds: 4.3,
      wallSeconds: 10.2,
      inFlightMax: 96,
      stealRatio: 0,
      rssMaxBytes: 120_000_000,
      busyRatio: 0.31,
      waitRatio: 0.004,
      stallMaxMs: 7.2,
      clockJumpMs: 0.6,
      gaps: { count: 9_989, calls: 2, cv: 0.09, plannedCv: 3e-13, jitter: 0.09, distance: 0.008 },
    },
    target: {
      accepted: ok,
      rejected: 6_702,
      abandoned: 0,
      cpuAcceptSeconds: 6.9,
      cpuRejectSeconds: 2.01,
      cpuTotalSeconds: 9.8,
      wallSeconds: 10.2,
      queueMax: 50,
    },
    reasons: [SHORT],
  });
}

/** A warmed-up trial of two workers, some of whose calls came late. */
export function warmed(): TrialResult {
  const warm = trialFixture({ calls: { ok: 990, throttled: 10 } });
  return {
    ...trialFixture({
      policy: SRE,
      calls: { ok: 9_700, throttled: 120, dropped: 180 },
      attempts: { accepted: 9_700 },
      late: { boundMs: 50, sent: 0, dropped: 180 },
      reasons: [LATE_DROPS],
      generator: {
        workers: 2,
        cpuSeconds: 12.4,
        wallSeconds: 10.3,
        inFlightMax: 96,
        stealRatio: 0,
        rssMaxBytes: 120_000_000,
        stallMaxMs: 0,
        clockJumpMs: 0,
      },
      connections: {
        wanted: 131,
        opened: 128,
        failed: 3,
        preopened: 100,
        reused: 9_572,
        closedByPeer: 17,
        peak: 111,
        stale: 2,
        addresses: { "127.0.0.1": 64, "::1": 64 },
      },
    }),
    warmup: { seconds: 5, calls: warm.calls, attempts: warm.attempts },
  };
}

/** A target that never answers: nothing is known but bounds. */
export function silent(arm: string, pair: number): TrialResult {
  return trialFixture({
    arm,
    pair,
    policy: arm === "off" ? NONE : SRE,
    calls: { ok: 0, failed: 800, unfinished: 200 },
    attempts: { overloaded: 2_700, inFlight: 200 },
    errors: { timeout: 2_700 },
    response: {
      failed: latencyFixture(800, 3_000, 3_010, 3_020, 800),
      unfinished: latencyFixture(200, 1_500, 2_900, 2_990, 200),
    },
    service: { overloaded: latencyFixture(2_700, 1_000, 1_001, 1_003, 2_700) },
    users: { jain: 1, okMin: 0, okMax: 0 },
  });
}

/** A trial in which the generator itself was the limit. */
export function spoiled(): TrialResult {
  return trialFixture({
    arm: "on",
    policy: SRE,
    calls: { ok: 8_000, dropped: 2_000 },
    lateness: latencyFixture(8_000, 0.4, 12.3, 260),
    reasons: [SHORT, LATE, DROPPED],
  });
}

/** A trial of the virtual world, which has no sockets, no generator and no target process. */
export function simulated(): TrialResult {
  return trialFixture({
    arm: "run",
    world: "virtual",
    model: "shed:capacity=100,rejectCost=0.3",
    policy: SRE,
    calls: { ok: 770, throttled: 8_900, budget: 250, failed: 80 },
    attempts: { accepted: 770, overloaded: 780 },
    statuses: { "200": 770, "503": 780 },
    response: { ok: latencyFixture(770, 80, 99, 100), failed: latencyFixture(80, 0, 0, 0) },
    service: { accepted: latencyFixture(770, 80, 99, 100), overloaded: latencyFixture(780, 0, 0, 0) },
    wait: latencyFixture(1_550, 0, 0, 0),
    lateness: latencyFixture(10_000, 0, 0, 0),
    users: { jain: 0.56, okMin: 0, okMax: 21 },
  });
}

/** Three pairs, interleaved off-on, on-off, off-on. */
export function cure(): TrialResult[] {
  return [
    collapsed(0),
    throttled(0),
    throttled(1, 6_810, 20_110),
    collapsed(1, 402, 20_110),
    collapsed(2, 371, 19_930),
    throttled(2, 6_902, 19_930),
  ];
}

/** A result with its comparison, `off` being the baseline. */
export function compared(trials: readonly TrialResult[], overrides: Partial<Result> = {}): Result {
  return resultFixture(trials, { comparison: compareArms(trials, "off"), ...overrides });
}

/** The virtual twin of {@link throttled}, whose goodput is `ratio` times as high. */
export function twinOf(real: TrialResult, ratio = 1.03): Twin {
  const ok = Math.round(ratio * real.calls.ok);
  const trial = trialFixture({
    arm: `${real.arm}-twin`,
    world: "virtual",
    model: "worker:accept=0.00102s,reject=0.00032s,queue=50,latency=0.00021s",
    policy: SRE,
    calls: { ok, throttled: real.calls.planned - ok },
    attempts: { accepted: ok, overloaded: ok },
    response: { ok: latencyFixture(ok, 38.9, 60.3, 71) },
  });
  const law: ServiceLaw = {
    source: "counters",
    model: "worker",
    acceptMs: 1.02,
    rejectMs: 0.32,
    overheadMs: 0.021,
    latencyMs: 0.21,
    queueMax: 50,
    assumptions: ["Nothing was rejected: what that takes is what the target is set to."],
  };
  return compareTwin(real, law, trial);
}
