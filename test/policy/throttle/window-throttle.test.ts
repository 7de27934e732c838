import { describe, expect, it } from "vitest";
import {
  COUNT_AT_ATTEMPT,
  COUNT_AT_COMPLETION,
  COUNT_LESS_IN_FLIGHT,
  WindowThrottle,
  type WindowThrottleOptions,
  type WindowThrottleTraits,
} from "../../../src/policy/throttle/window-throttle.ts";
import { ScriptedRandom } from "../fakes.ts";
import { ended, OK, REFUSED_503, requestsOf, settle } from "./throttle-driver.ts";

const ALWAYS_SEND = 0.999999;
const NEVER_SEND = 0;

/** Counts at completion, so that `settle` alone makes any R and A. */
function withCounts(requests: number, accepts: number, options: WindowThrottleOptions): WindowThrottle {
  const throttle = new WindowThrottle(new ScriptedRandom(0), { countAt: COUNT_AT_COMPLETION, ...options });
  settle(throttle, OK, 0, accepts);
  settle(throttle, REFUSED_503, 0, requests - accepts);
  return throttle;
}

function create(u: number | readonly number[], options: WindowThrottleOptions = {}, traits: WindowThrottleTraits = {}) {
  return new WindowThrottle(new ScriptedRandom(...[u].flat()), options, traits);
}

describe("WindowThrottle.rejectProbability()", () => {
  it.each([
    [{}, 0, 0, 0],
    [{}, 1, 0, 1 / 2],
    [{}, 2, 0, 2 / 3],
    [{}, 3, 1, 1 / 4],
    [{}, 4, 2, 0],
    [{}, 8, 1, 6 / 9],
    [{ k: 1 }, 8, 8, 0],
    [{ k: 1 }, 8, 7, 1 / 9],
    [{ k: 1.5 }, 9, 4, 3 / 10],
    [{ minRequests: 4 }, 3, 0, 0],
    [{ minRequests: 4 }, 4, 0, 4 / 5],
    [{ protection: 5 }, 5, 0, 0],
    [{ protection: 5 }, 6, 0, 1 / 7],
    [{ protection: 5, k: 1.5 }, 99, 20, 64 / 100],
    [{ maxReject: 0.5 }, 9, 0, 1 / 2],
    [{ maxReject: 0.5 }, 3, 1, 1 / 4],
    [{ maxReject: 0 }, 9, 0, 0],
    [{ aggression: 2 }, 15, 0, Math.sqrt(15 / 16)],
    [{ aggression: 2 }, 3, 1, 1 / 2],
    [{ aggression: 3 }, 2, 2, 0],
    [{ aggression: 2, maxReject: 0.75 }, 15, 0, 3 / 4],
  ])("with %o, %i requests and %i accepts is %f", (options, requests, accepts, p) => {
    expect(withCounts(requests, accepts, options).rejectProbability(0)).toBe(p);
  });

  it("divides the accepts by a success rate where a source does", () => {
    const throttle = create(0, { k: 1, countAt: COUNT_AT_COMPLETION }, { divisor: 0.9 });
    settle(throttle, OK, 0, 90);
    settle(throttle, REFUSED_503, 0, 30);
    expect(throttle.rejectProbability(0)).toBe(20 / 121);
  });
});

describe("WindowThrottle.admit()", () => {
  it.each([
    // The counts after: passed and in flight; then settled, refused; then one rejected locally.
    [COUNT_AT_ATTEMPT, 1, 1, 1, 2],
    [COUNT_AT_ATTEMPT, 0, 1, 1, 1],
    [COUNT_AT_COMPLETION, 1, 0, 1, 2],
    [COUNT_AT_COMPLETION, 0, 0, 1, 1],
    [COUNT_LESS_IN_FLIGHT, 1, 0, 1, 2],
    [COUNT_LESS_IN_FLIGHT, 0, 0, 1, 1],
  ])("with countAt %i and countLocal %i counts %i in flight, %i settled, %i with a reject", (...row) => {
    const [countAt, countLocal, inFlight, settled, rejected] = row;
    const throttle = create([ALWAYS_SEND, NEVER_SEND], { countAt, countLocal });
    expect(throttle.admit(0)).toBe(true);
    expect(requestsOf(throttle, 0)).toBe(inFlight);
    settle(throttle, REFUSED_503, 0);
    expect(requestsOf(throttle, 0)).toBe(settled);
    expect(throttle.admit(0)).toBe(false);
    expect(requestsOf(throttle, 0)).toBe(rejected);
  });

  it.each([
    [COUNT_AT_ATTEMPT, 1],
    [COUNT_AT_COMPLETION, 0],
    [COUNT_LESS_IN_FLIGHT, 0],
  ])("with countAt %i an attempt that is given up leaves %i requests", (countAt, requests) => {
    const throttle = create(ALWAYS_SEND, { countAt });
    throttle.admit(0);
    throttle.abandon(ended(OK), 0);
    expect(requestsOf(throttle, 0)).toBe(requests);
  });

  it("draws one number per attempt, also when p is 0 and when it has to pass", () => {
    const random = new ScriptedRandom(NEVER_SEND);
    const throttle = new WindowThrottle(random, { forcePass: 1 });
    throttle.admit(0);
    throttle.admit(0);
    throttle.admit(100);
    expect(random.draws).toBe(3);
  });

  it.each([
    [0.5, false, true],
    [0.5, true, false],
    [0.4999, false, false],
    [0.5001, true, true],
  ])("at p = 1/2 with u = %d, inclusive %s: %s", (u, inclusive, passes) => {
    const throttle = create([ALWAYS_SEND, u], {}, { inclusive });
    throttle.admit(0);
    expect(throttle.admit(0)).toBe(passes);
  });

  it("passes at p = 0 whatever the number, where equality rejects", () => {
    expect(create(0, {}, { inclusive: true }).admit(0)).toBe(true);
  });

  it("is forced to pass once the last one to pass under rejection did so longer ago than forcePass", () => {
    const throttle = create([ALWAYS_SEND, NEVER_SEND, ALWAYS_SEND, NEVER_SEND], { forcePass: 2 });
    // The first passes at p = 0, which starts no time.
    const passes = [0, 8, 9, 10, 11, 11.125, 11.25, 13.125, 13.25].map((now) => throttle.admit(now));
    expect(passes).toEqual([true, false, true, false, false, true, false, false, true]);
  });

  it("is forced to pass in time also after the clock was set back", () => {
    const throttle = create([ALWAYS_SEND, ALWAYS_SEND, NEVER_SEND], { forcePass: 2 });
    expect([3600, 3600, 5, 7, 7.125].map((now) => throttle.admit(now))).toEqual([true, true, false, false, true]);
  });
});

describe("WindowThrottle's window", () => {
  it.each([
    // [window, bucket, grid, when it counts, when it is gone]
    [1, 0.25, "clock", 0.5, 1.5],
    [1, 0.25, "clock", 0.625, 1.5],
    [1, 0.25, "first-request", 0.625, 1.625],
    [2, 2, "clock", 3.5, 4],
    [2, 2, "first-request", 3.5, 5.5],
    [120, 1, "clock", 7.75, 127],
    [1.5, 1, "clock", 7.75, 9],
    [1.5, 0.5, "clock", 7.75, 9],
  ] as const)("of %d s in buckets of %d s on the grid %s forgets what happened at %d at %d", (...row) => {
    const [window, bucket, grid, at, gone] = row;
    const throttle = create(ALWAYS_SEND, { window, bucket }, { grid });
    throttle.admit(at);
    expect(requestsOf(throttle, gone - 1 / 64)).toBe(1);
    expect(requestsOf(throttle, gone)).toBe(0);
  });

  it("moves on whatever the first reading of the clock was", () => {
    for (const first of [1e300, -1e300, 2 ** 53]) {
      const throttle = create(ALWAYS_SEND, { window: 10, bucket: 0.25 }, { grid: "first-request" });
      throttle.admit(first);
      throttle.admit(7);
      expect(requestsOf(throttle, 7)).toBe(2);
      expect(requestsOf(throttle, 17)).toBe(0);
    }
  });

  it("that expires at a record only is stale until then", () => {
    const throttle = create(ALWAYS_SEND, { countAt: COUNT_AT_COMPLETION, window: 10 }, { expiry: "record" });
    settle(throttle, REFUSED_503, 0, 3);
    expect(requestsOf(throttle, 1e6)).toBe(3);
    settle(throttle, REFUSED_503, 1e6);
    expect(requestsOf(throttle, 1e6)).toBe(1);
  });

  it("has a whole number of buckets in spite of rounding", () => {
    for (const [window, buckets] of [
      [3, 10],
      [60, 20],
      [10, 40],
      [1, 49],
    ] as const) {
      const throttle = create(ALWAYS_SEND, { window, bucket: window / buckets });
      throttle.admit(0);
      expect(requestsOf(throttle, window * (1 - 1 / 1024))).toBe(1);
      expect(requestsOf(throttle, window * (1 + 1 / 1024))).toBe(0);
    }
  });
});

describe("WindowThrottle's options", () => {
  const bucketRule = "'bucket' must be at most the window, and at least a 604800th of it: current value is";
  it.each([
    [{ k: 0.5 }, "'k' must be a finite number of at least 1: current value is 0.5"],
    [{ countLocal: 2 }, "'countLocal' must be an integer from 0 to 1: current value is 2"],
    [{ countAt: 0.5 }, "'countAt' must be an integer from 0 to 2: current value is 0.5"],
    [{ maxReject: 1.5 }, "'maxReject' must be a finite number from 0 to 1: current value is 1.5"],
    [{ aggression: 0.5 }, "'aggression' must be a finite number from 1 to 1000: current value is 0.5"],
    [{ bucket: 11, window: 10 }, `${bucketRule} 11`],
    [{ bucket: 0.001, window: 604_800 }, `${bucketRule} 0.001`],
  ])("%o is a RangeError that names the option, the rule and the value", (options, message) => {
    expect(() => create(0, options)).toThrow(new RangeError(`Cannot create WindowThrottle as ${message}`));
  });
});
