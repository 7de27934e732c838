/** What every admission throttle survives. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stream } from "../../../src/plan/streams.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import type { Throttle } from "../../../src/policy/parts.ts";
import type { AttemptVerdict, Criticality, Fault, Random } from "../../../src/policy/policy.ts";
import { BeamThrottle } from "../../../src/policy/throttle/beam-throttle.ts";
import { EnvoyAdmissionThrottle } from "../../../src/policy/throttle/envoy-admission-throttle.ts";
import { FinagleNackThrottle } from "../../../src/policy/throttle/finagle-nack-throttle.ts";
import { GoZeroThrottle } from "../../../src/policy/throttle/go-zero-throttle.ts";
import { PerCriticality } from "../../../src/policy/throttle/per-criticality.ts";
import { throttlePresets } from "../../../src/policy/throttle/presets.ts";
import { WindowThrottle } from "../../../src/policy/throttle/window-throttle.ts";
import { ManualClock } from "../fakes.ts";
import { callOnce, ended, OK, policyOf, REFUSED_503 } from "./throttle-driver.ts";

const window = 10;
const throttles: readonly (readonly [string, (random: Random) => Throttle])[] = [
  ["at attempt", (random) => new WindowThrottle(random, { window })],
  ["at completion", (random) => new WindowThrottle(random, { window, countAt: 1 })],
  ["less in flight", (random) => new WindowThrottle(random, { window, countAt: 2 })],
  ["sent only", (random) => new WindowThrottle(random, { window, countLocal: 0, countAt: 1 })],
  [
    "all guards",
    (random) => {
      const options = { bucket: 0.25, minRequests: 3, protection: 2, maxReject: 0.9, forcePass: 1, aggression: 2 };
      return new WindowThrottle(random, { window, ...options }, { grid: "first-request" });
    },
  ],
  [
    "stale reads",
    (random) => {
      const options = { window, countLocal: 0, countAt: 1, maxReject: 0.9 };
      return new WindowThrottle(random, options, { expiry: "record", inclusive: true, divisor: 0.9 });
    },
  ],
  ["per criticality", (random) => new PerCriticality(() => new WindowThrottle(random, { window }))],
  ["Envoy", (random) => new EnvoyAdmissionThrottle(random, { window, aggression: 1.5, rpsThreshold: 1 })],
  ["go-zero", (random) => new GoZeroThrottle(random)],
  ["Finagle", (random) => new FinagleNackThrottle(random, { window })],
];

const readings = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -3600, 0, 3600, 2 ** 53, 1e300),
  fc.integer({ min: 0, max: 64 * 60 }).map((n) => n / 64),
);
const events = fc.array(
  fc.record({
    now: readings,
    what: fc.constantFrom("admit", "settle", "settle twice", "abandon"),
    verdict: fc.constantFrom<AttemptVerdict>("accepted", "overloaded", "failed"),
    status: fc.constantFrom(0, 200, 404, 429, 500, 503),
    fault: fc.constantFrom<Fault>("none", "timeout", "refused", "reset", "stale", "client", "other"),
    criticality: fc.constantFrom<Criticality>(0, 1, 2, 3),
  }),
  { maxLength: 100 },
);

type Event = typeof events extends fc.Arbitrary<(infer Element)[]> ? Element : never;

function play(throttle: Throttle, list: readonly Event[]): void {
  const call = new CallRecord();
  for (const { now, what, verdict, status, fault, criticality } of list) {
    call.status = status;
    call.fault = fault;
    call.criticality = criticality;
    if (what === "admit") throttle.admit(now, criticality);
    else if (what === "abandon") throttle.abandon(call, now);
    else for (let n = what === "settle" ? 0 : -1; n < 1; n++) throttle.settle(call, verdict, now);
    const p = throttle.rejectProbability(now, criticality);
    expect(p >= 0 && p < 1).toBe(true);
  }
}

/** Ten calls a second against a healthy backend. */
function recover(throttle: Throttle, fromSeconds: number, seconds: number): void {
  for (let tenth = 0; tenth < 10 * seconds; tenth++) {
    const now = fromSeconds + tenth / 10;
    if (throttle.admit(now, 1)) throttle.settle(ended(OK), "accepted", now);
  }
}

describe.each(throttles)("%s", (_name, make) => {
  it("keeps p in [0, 1) whatever the clock reads, whatever ends late, twice or not at all", () => {
    fc.assert(fc.property(events, (list) => play(make(stream(1, "policy")), list)));
  });

  it("is open again within five windows of health, after any history and three idle days", () => {
    fc.assert(
      fc.property(events, fc.constantFrom(0, 1_700_000_000), (list, start) => {
        const throttle = make(stream(1, "policy"));
        play(throttle, list);
        throttle.admit(start, 1);
        const restart = start + 3 * 86_400;
        recover(throttle, restart, 5 * window);
        expect(throttle.rejectProbability(restart + 5 * window, 1)).toBe(0);
      }),
    );
  });

  it("sends everything before it has heard of anything", () => {
    const throttle = make({ random: () => 0 });
    for (const now of [Number.NaN, 0, 86_400]) expect(throttle.rejectProbability(now, 1)).toBe(0);
    expect(throttle.admit(0, 1)).toBe(true);
  });
});

describe("BeamThrottle", () => {
  it("waits 0 or its delay whatever the clock reads", () => {
    fc.assert(
      fc.property(events, (list) => {
        const throttle = new BeamThrottle(stream(1, "policy"), { window });
        for (const { now, what, verdict } of list) {
          if (what === "settle") throttle.settle(new CallRecord(), verdict, now);
          else expect([0, 5]).toContain(throttle.acquire(now));
          const p = throttle.delayProbability(now);
          expect(p >= 0 && p < 1).toBe(true);
        }
        throttle.acquire(0);
        for (let tenth = 0; tenth < 10 * window; tenth++) {
          throttle.acquire(86_400 + tenth / 10);
          throttle.settle(new CallRecord(), "accepted", 86_400 + tenth / 10);
        }
        expect(throttle.delayProbability(86_400 + window)).toBe(0);
      }),
    );
  });
});

/** Bytes of all typed arrays that can be reached. */
function arrayBytes(value: unknown, seen = new Set<unknown>()): number {
  if (typeof value !== "object" || value === null || seen.has(value)) return 0;
  seen.add(value);
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return Object.values(value).reduce((sum: number, member) => sum + arrayBytes(member, seen), 0);
}

describe("the memory of a user", () => {
  it.each(throttlePresets.map(({ name }) => name))("of %s is at most 2 KB after a hundred thousand calls", (name) => {
    const clock = new ManualClock(0);
    const policy = policyOf(name, {}, clock, stream(1, "policy"));
    for (let call = 0; call < 100_000; call++) {
      clock.seconds += 1 / 256;
      callOnce(policy, call % 3 === 0 ? REFUSED_503 : OK);
    }
    expect(arrayBytes(policy)).toBeGreaterThan(0);
    expect(arrayBytes(policy)).toBeLessThanOrEqual(2048);
  });
});
