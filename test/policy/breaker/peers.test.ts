import { ConsecutiveBreaker, CountBreaker, SamplingBreaker } from "cockatiel";
import { describe, expect, it } from "vitest";
import { allMustSucceed, CircuitBreaker, type LateResults } from "../../../src/policy/breaker/circuit-breaker.ts";
import { ConsecutiveRule } from "../../../src/policy/breaker/consecutive-rule.ts";
import { CountWindow } from "../../../src/policy/breaker/count-window.ts";
import { KeptHistoryRule } from "../../../src/policy/breaker/kept-history-rule.ts";
import { opossumBreaker, samplingBreaker } from "../../../src/policy/breaker/library-presets.ts";
import { constantOpenTime } from "../../../src/policy/breaker/open-time.ts";
import { consecutiveBreaker, ratioBreaker } from "../../../src/policy/breaker/presets.ts";
import { RatioRule } from "../../../src/policy/breaker/ratio-rule.ts";
import type { TripRule } from "../../../src/policy/breaker/trip-rule.ts";
import { cockatiel, type MakePeer, opossum, throughPeer } from "./peers.ts";
import { arrivalsOf, type Traffic, throughOurs } from "./scenario.ts";

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed + 1);
const probeTimeout = 1000;

function oneProbe(rule: TripRule, openSeconds: number, late: LateResults): CircuitBreaker {
  return new CircuitBreaker({
    rule,
    openTime: constantOpenTime(openSeconds),
    halfOpens: "at",
    probes: 1,
    judge: allMustSucceed(1),
    probeTimeoutSeconds: probeTimeout,
    late,
  });
}

const brief: Traffic = { seconds: 60, mostPerQuarter: 4, longestQuarters: 0 };
const overlapping: Traffic = { seconds: 60, mostPerQuarter: 4, longestQuarters: 30 };
const withGaps: Traffic = { ...overlapping, idleSeconds: 45 };

interface Pair {
  readonly ours: (late: LateResults) => CircuitBreaker;
  readonly peer: MakePeer;
  /** How the library takes late answers. */
  readonly late: LateResults;
}

const pairs: Readonly<Record<string, Pair>> = {
  "opossum, no volume threshold": {
    ours: () =>
      opossumBreaker({
        errorThresholdPercentage: 50,
        volumeThreshold: 0,
        rollingCountTimeout: 10,
        rollingCountBuckets: 10,
        resetTimeout: 5.125,
        probeTimeout,
      }),
    peer: opossum({ resetTimeout: 5125 }),
    late: "presentState",
  },
  "opossum, volume threshold 8, window longer than the open time": {
    ours: () =>
      opossumBreaker({
        errorThresholdPercentage: 25,
        volumeThreshold: 8,
        rollingCountTimeout: 8,
        rollingCountBuckets: 4,
        resetTimeout: 2.125,
        probeTimeout,
      }),
    peer: opossum({
      resetTimeout: 2125,
      errorThresholdPercentage: 25,
      volumeThreshold: 8,
      rollingCountTimeout: 8000,
      rollingCountBuckets: 4,
    }),
    late: "presentState",
  },
  "cockatiel ConsecutiveBreaker(5)": {
    ours: (late) => oneProbe(new KeptHistoryRule(new ConsecutiveRule(5)), 5.125, late),
    peer: cockatiel(() => new ConsecutiveBreaker(5), 5125),
    late: "ownState",
  },
  "cockatiel CountBreaker(0.5 of 16, at least 8)": {
    ours: (late) =>
      oneProbe(
        new KeptHistoryRule(new RatioRule(new CountWindow(16), 8, (failures, total) => failures > 0.5 * total)),
        5.125,
        late,
      ),
    peer: cockatiel(() => new CountBreaker({ threshold: 0.5, size: 16, minimumNumberOfCalls: 8 }), 5125),
    late: "ownState",
  },
  "cockatiel SamplingBreaker(0.25 over 10 s, at least 2 a second)": {
    ours: () => samplingBreaker({ threshold: 0.25, duration: 10, minimumRps: 2, halfOpenAfter: 5.125, probeTimeout }),
    peer: cockatiel(() => new SamplingBreaker({ threshold: 0.25, duration: 10_000, minimumRps: 2 }), 5125),
    late: "ownState",
  },
  "cockatiel SamplingBreaker(0.5 over 4 s), five slices of 800 ms": {
    ours: () => samplingBreaker({ threshold: 0.5, duration: 4, minimumRps: 0, halfOpenAfter: 5.125, probeTimeout }),
    peer: cockatiel(() => new SamplingBreaker({ threshold: 0.5, duration: 4000 }), 5125),
    late: "ownState",
  },
};

describe.each(Object.entries(pairs))("%s", (_name, { ours, peer, late }) => {
  it.each([
    ["calls of an eighth of a second", brief],
    ["calls that overlap and end late", overlapping],
    ["spells without traffic", withGaps],
  ])("opens, closes and refuses as ours does on the same arrivals: %s", async (_traffic, traffic) => {
    let opened = 0;
    let closed = 0;
    for (const seed of SEEDS) {
      const arrivals = arrivalsOf(seed, traffic);
      const theirs = await throughPeer(arrivals, peer);
      const mine = throughOurs(arrivals, ours(late));
      expect(mine.changes, `seed ${seed}`).toEqual(theirs.changes);
      expect(mine.sent, `seed ${seed}`).toEqual(theirs.sent);
      opened += mine.changes.filter((change) => change.startsWith("open")).length;
      closed += mine.changes.filter((change) => change.startsWith("closed")).length;
    }
    expect(opened).toBeGreaterThan(SEEDS.length);
    expect(closed).toBeGreaterThan(0);
  });
});

const tier1 = { probeTimeout, maxRequests: 1, interval: 0 };

describe("breaker-consecutive and cockatiel's ConsecutiveBreaker", () => {
  const peer = cockatiel(() => new ConsecutiveBreaker(5), 5000);
  const ours = () => consecutiveBreaker({ ...tier1, failures: 5, timeout: 5 });

  it("are the same where every call ends before the next ones arrive", async () => {
    for (const seed of SEEDS) {
      const arrivals = arrivalsOf(seed, brief);
      const { sent, changes } = await throughPeer(arrivals, peer);
      expect(throughOurs(arrivals, ours()), `seed ${seed}`).toEqual({ sent, changes });
    }
  });

  it("differ where calls outlive the state in which they began", async () => {
    let differing = 0;
    for (const seed of SEEDS) {
      const arrivals = arrivalsOf(seed, overlapping);
      const { changes } = await throughPeer(arrivals, peer);
      if (throughOurs(arrivals, ours()).changes.join() !== changes.join()) differing++;
    }
    expect(differing).toBeGreaterThan(5);
  });
});

describe("breaker-ratio and cockatiel's SamplingBreaker", () => {
  it("open for the first time at the same failure, while neither's window has lost anything", async () => {
    // No whole number of failures is this share of fewer than 10,000 calls, so > and >= are one.
    const share = 0.5123;
    let opened = 0;
    for (const seed of SEEDS) {
      const arrivals = arrivalsOf(seed, overlapping);
      const theirs = await throughPeer(
        arrivals,
        cockatiel(() => new SamplingBreaker({ threshold: share, duration: 100_000, minimumRps: 0.2 }), 5000),
      );
      const mine = throughOurs(
        arrivals,
        ratioBreaker({ failureRatio: share, window: 1000, minRequests: 20, openFor: 5, probeTimeout }),
      );
      expect(mine.changes[0], `seed ${seed}`).toBe(theirs.changes[0]);
      if (mine.changes.length > 0) opened++;
    }
    expect(opened).toBeGreaterThan(SEEDS.length / 2);
  });
});
