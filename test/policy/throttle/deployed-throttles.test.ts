/**
 * Tables of the deployed throttles. Where a number is the source's own it says so; the others are worked out by hand from
 * the source's text.
 */

import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { BeamThrottle } from "../../../src/policy/throttle/beam-throttle.ts";
import { EnvoyAdmissionThrottle } from "../../../src/policy/throttle/envoy-admission-throttle.ts";
import { FinagleNackThrottle } from "../../../src/policy/throttle/finagle-nack-throttle.ts";
import { GoZeroThrottle } from "../../../src/policy/throttle/go-zero-throttle.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";
import {
  answered,
  callOnce,
  callTimes,
  type End,
  OK,
  policyOf,
  REFUSED_503,
  settle,
  TIMED_OUT,
  TOO_MANY_429,
} from "./throttle-driver.ts";

const ALWAYS_SEND = 0.999999;

/** The outcome of one more call at the number u just below and just at p. */
function around(
  make: (random: ScriptedRandom) => { admit(call: CallRecord): string },
  draws: number,
  p: number,
): string[] {
  return [p - 1e-3, p + 1e-3].map((u) => {
    const random = new ScriptedRandom(...Array.from({ length: draws }, () => ALWAYS_SEND), u);
    return make(random).admit(new CallRecord());
  });
}

describe("EnvoyAdmissionThrottle", () => {
  const withCounts = (requests: number, successes: number, options = {}): EnvoyAdmissionThrottle => {
    const throttle = new EnvoyAdmissionThrottle(new ScriptedRandom(0), options);
    settle(throttle, OK, 0, successes);
    settle(throttle, REFUSED_503, 0, requests - successes);
    return throttle;
  };

  it.each([
    [{}, 0, 0, 0],
    [{}, 100, 95, 0],
    [{}, 100, 96, 0],
    [{}, 100, 50, (100 - 50 / 0.95) / 101],
    [{}, 100, 0, 0.8],
    [{}, 3, 0, 0.75],
    [{}, 4, 0, 0.8],
    [{ srThreshold: 0.5 }, 15, 4, 7 / 16],
    [{ srThreshold: 0.5, aggression: 2 }, 15, 6, Math.sqrt(3 / 16)],
    [{ aggression: 2 }, 15, 0, 0.8],
    // The power of a negative number would be NaN.
    [{ aggression: 2 }, 100, 100, 0],
    [{ maxRejectionProbability: 1 }, 99, 0, 0.99],
  ])("with %o, %i requests and %i successes is p = %f", (options, requests, successes, p) => {
    expect(withCounts(requests, successes, options).rejectProbability(0)).toBe(p);
  });

  it.each([
    [0.4999, false],
    [0.49995, false],
    [0.5, true],
  ])("compares p = 1/2 in steps of 1e-4: u = %d passes: %s", (u, passes) => {
    const throttle = new EnvoyAdmissionThrottle(new ScriptedRandom(u));
    settle(throttle, REFUSED_503, 0);
    expect(throttle.admit(0)).toBe(passes);
  });

  it.each([
    // 149 / 30 is 4 whole requests a second, 150 / 30 is 5.
    [149, 0, 0],
    [150, 0, 0.8],
    [150, 29.75, 0.8],
    // Beyond the window the average is over the age of the oldest sample: 150 / 31.
    [150, 31, 0],
    [155, 31.5, 0],
  ])("below an average of rpsThreshold over the whole window rejects nothing: %i requests, at %d s: %d", (...row) => {
    const [requests, now, p] = row;
    expect(withCounts(requests, 0, { rpsThreshold: 5 }).rejectProbability(now)).toBe(p);
  });

  it("does not count what it rejects", () => {
    const throttle = new EnvoyAdmissionThrottle(new ScriptedRandom(0));
    settle(throttle, REFUSED_503, 0);
    for (let n = 0; n < 100; n++) expect(throttle.admit(0)).toBe(false);
    expect(throttle.rejectProbability(0)).toBe(0.5);
  });

  it.each([
    [OK, 0],
    [TOO_MANY_429, 0],
    [answered(404), 0],
    [answered(500), 0.5],
    [REFUSED_503, 0.5],
    [TIMED_OUT, 0.5],
  ])("takes an answer below 500 for a success: %o", (end, p) => {
    const throttle = new EnvoyAdmissionThrottle(new ScriptedRandom(0));
    settle(throttle, end, 0);
    expect(throttle.rejectProbability(0)).toBe(p);
  });

  it("forgets a sample when its beginning is a window old; a look begins one too", () => {
    const throttle = new EnvoyAdmissionThrottle(new ScriptedRandom(ALWAYS_SEND));
    throttle.admit(0.25);
    settle(throttle, REFUSED_503, 1.125); // In the sample that a look began at 0.25.
    expect(throttle.rejectProbability(30.125)).toBe(0.5);
    expect(throttle.rejectProbability(30.25)).toBe(0);
    settle(throttle, REFUSED_503, 40);
    expect(throttle.rejectProbability(69.875)).toBe(0.5);
    expect(throttle.rejectProbability(70)).toBe(0);
  });
});

describe("GoZeroThrottle", () => {
  type Event = readonly [bucket: number, end: End, times: number];
  const following = (...events: readonly Event[]): [GoZeroThrottle, number] => {
    const throttle = new GoZeroThrottle(new ScriptedRandom(ALWAYS_SEND));
    throttle.rejectProbability(100);
    for (const [bucket, end, times] of events) settle(throttle, end, 100 + bucket / 4, times);
    return [throttle, 100 + (events.at(-1)?.[0] ?? 0) / 4];
  };

  it.each<[string, readonly Event[], number]>([
    ["nothing", [], 0],
    ["5 failures", [[0, REFUSED_503, 5]], 0],
    ["6 failures", [[0, REFUSED_503, 6]], 1 / 7],
    [
      "10 successes and 90 failures in one bucket",
      [
        [0, OK, 10],
        [0, REFUSED_503, 90],
      ],
      80 / 101,
    ],
    [
      "10 successes, then 4 failing buckets: w = 1.46",
      [
        [0, OK, 10],
        [1, REFUSED_503, 10],
        [2, REFUSED_503, 10],
        [3, REFUSED_503, 10],
        [4, REFUSED_503, 10],
      ],
      (45 - 1.46 * 10) / 51,
    ],
    [
      "20 failures, then 4 working buckets: 36/40 of it",
      [
        [0, REFUSED_503, 20],
        [1, OK, 1],
        [2, OK, 1],
        [3, OK, 1],
        [4, OK, 1],
      ],
      ((19 - 6) / 25) * (36 / 40),
    ],
    [
      "empty buckets in between leave the runs alone",
      [
        [0, REFUSED_503, 20],
        [1, OK, 1],
        [9, OK, 1],
      ],
      ((17 - 3) / 23) * (38 / 40),
    ],
    [
      "a bucket with both ends both runs",
      [
        [0, OK, 2],
        [1, REFUSED_503, 20],
        [2, OK, 1],
        [2, REFUSED_503, 1],
      ],
      (19 - 1.5 * 3) / 25,
    ],
    [
      "what is 40 buckets old is gone",
      [
        [0, REFUSED_503, 1000],
        [40, REFUSED_503, 7],
      ],
      2 / 8,
    ],
  ])("after %s", (_what, events, p) => {
    const [throttle, now] = following(...events);
    expect(throttle.rejectProbability(now)).toBeCloseTo(p, 12);
  });

  it.each([
    [OK, 0],
    [TOO_MANY_429, 0],
    [answered(500), 1 / 7],
    [REFUSED_503, 1 / 7],
    [TIMED_OUT, 1 / 7],
  ])("takes an answer below 500 for a success: %o", (end, p) => {
    const [throttle, now] = following([0, end, 6]);
    expect(throttle.rejectProbability(now)).toBe(p);
  });

  it("counts a local reject as neither success nor failure of a bucket, but in the total", () => {
    const random = new ScriptedRandom(0);
    const throttle = new GoZeroThrottle(random);
    settle(throttle, REFUSED_503, 0, 6);
    expect(throttle.admit(0)).toBe(false);
    expect(throttle.rejectProbability(0)).toBe(2 / 8);
    throttle.admit(0.25);
    settle(throttle, OK, 0.5);
    // 6 failures, 2 drops, 1 success in the working run: (9 - 5 - 1.5) / 10 x 39 / 40.
    expect(throttle.rejectProbability(0.5)).toBeCloseTo(0.25 * (39 / 40), 12);
  });

  it("forces a pass more than a second after the last one by chance, with no draw, and none before there was one", () => {
    const random = new ScriptedRandom(0, 0, 0, ALWAYS_SEND, 0);
    const throttle = new GoZeroThrottle(random);
    settle(throttle, REFUSED_503, 0, 50);
    expect([0, 2, 4].map((now) => throttle.admit(now))).toEqual([false, false, false]);
    expect(throttle.admit(5)).toBe(true);
    expect(throttle.admit(6)).toBe(false);
    expect(random.draws).toBe(5);
    expect(throttle.rejectProbability(6.125)).toBe(0);
    expect(throttle.admit(6.125)).toBe(true);
    expect(random.draws).toBe(5);
    expect(throttle.admit(7.125)).toBe(false);
    expect(throttle.admit(7.25)).toBe(true);
  });

  it("forces a pass in time also after the clock was set back", () => {
    const throttle = new GoZeroThrottle(new ScriptedRandom(ALWAYS_SEND, 0));
    settle(throttle, REFUSED_503, 3600, 50);
    expect(throttle.admit(3600)).toBe(true);
    settle(throttle, REFUSED_503, 5, 50);
    expect([5, 6, 6.125].map((now) => throttle.admit(now))).toEqual([false, false, true]);
  });

  it("draws nothing while p is not above 0, and that pass starts no time", () => {
    const random = new ScriptedRandom(0);
    const throttle = new GoZeroThrottle(random);
    expect(throttle.admit(0)).toBe(true);
    expect(random.draws).toBe(0);
    settle(throttle, REFUSED_503, 0, 50);
    expect(throttle.admit(5)).toBe(false);
  });

  it("is a RangeError with minK above k", () => {
    expect(() => new GoZeroThrottle(new ScriptedRandom(0), { k: 1.2, minK: 1.3 })).toThrow(
      new RangeError("Cannot create GoZeroThrottle as 'minK' must be at most k, 1.2: current value is 1.3"),
    );
  });
});

describe("FinagleNackThrottle", () => {
  it.each([
    // e = exp(-dt / 1 s); p = 1 - 2 e from 1/2 on, at most 3/4.
    [0.5, 0],
    [0.6875, 0],
    [1, 1 - 2 * Math.exp(-1)],
    [2, 1 - 2 * Math.exp(-2)],
    [3, 0.75],
    [100, 0.75],
  ])("one NACK after %d s with a window of 1 s gives p = %f", (dt, p) => {
    const throttle = new FinagleNackThrottle(new ScriptedRandom(0), { window: 1, rpsThreshold: 0 });
    throttle.admit(7);
    settle(throttle, REFUSED_503, 7 + dt);
    expect(throttle.rejectProbability()).toBeCloseTo(p, 12);
  });

  it("starts at 1, and moves by e = v (1 - w) + e w", () => {
    const throttle = new FinagleNackThrottle(new ScriptedRandom(0), { window: 4, rpsThreshold: 0 });
    throttle.admit(0);
    expect(throttle.acceptFraction).toBe(1);
    const w = Math.exp(-1 / 4);
    settle(throttle, REFUSED_503, 1);
    settle(throttle, OK, 2);
    settle(throttle, REFUSED_503, 3);
    expect(throttle.acceptFraction).toBeCloseTo((1 - w + w * w) * w, 12);
  });

  it("ignores a response at the instant of the last one", () => {
    const throttle = new FinagleNackThrottle(new ScriptedRandom(0), { window: 4, rpsThreshold: 0 });
    throttle.admit(1);
    settle(throttle, REFUSED_503, 1, 100);
    expect(throttle.acceptFraction).toBe(1);
  });

  it("loses one response when the clock steps back", () => {
    const throttle = new FinagleNackThrottle(new ScriptedRandom(0), { window: 4, rpsThreshold: 0 });
    throttle.admit(10);
    settle(throttle, REFUSED_503, 5);
    expect(throttle.acceptFraction).toBe(1);
    settle(throttle, REFUSED_503, 6);
    expect(throttle.acceptFraction).toBeCloseTo(Math.exp(-1 / 4), 12);
  });

  it("is at the source's 0.5000930677240232 when the average falls below 1/2: 10 ms, 3 s, five a second first", () => {
    const throttle = new FinagleNackThrottle(new ScriptedRandom(0), { window: 3 });
    let now = 0;
    let nacks = 0;
    throttle.rejectProbability();
    while (throttle.acceptFraction > 0.5) {
      now = ++nacks / 100;
      expect(throttle.admit(now)).toBe(true);
      settle(throttle, REFUSED_503, now);
    }
    // Its own clock starts one step earlier; the first four responses count as accepted, so that step is lost in them.
    expect(1 - throttle.acceptFraction).toBeCloseTo(0.5000930677240232, 10);
    expect(nacks).toBe(212);
    expect(throttle.admit(now)).toBe(false);
  });

  it("takes every response for accepted below 5 attempts a second, dropped ones included", () => {
    const seldom = new FinagleNackThrottle(new ScriptedRandom(0), { window: 1 });
    for (let now = 0; now < 100; now += 0.375) {
      seldom.admit(now);
      settle(seldom, REFUSED_503, now);
    }
    expect(seldom.acceptFraction).toBe(1);
    const often = new FinagleNackThrottle(new ScriptedRandom(0), { window: 1 });
    for (let now = 0; now < 100; now += 0.125) {
      if (often.admit(now)) settle(often, REFUSED_503, now);
    }
    expect(often.acceptFraction).toBeLessThan(0.5);
  });

  it.each([
    [OK, 1],
    [answered(500), 1],
    [TIMED_OUT, 1],
    [REFUSED_503, Math.exp(-1)],
    [TOO_MANY_429, Math.exp(-1)],
  ])("takes only an answer of overload for a NACK: %o", (end, average) => {
    const throttle = new FinagleNackThrottle(new ScriptedRandom(0), { window: 1, rpsThreshold: 0 });
    throttle.admit(0);
    settle(throttle, end, 1);
    expect(throttle.acceptFraction).toBeCloseTo(average, 12);
  });

  it("draws only below the threshold", () => {
    const random = new ScriptedRandom(0.5);
    const throttle = new FinagleNackThrottle(random, { window: 1, rpsThreshold: 0 });
    throttle.admit(0);
    expect(random.draws).toBe(0);
    settle(throttle, REFUSED_503, 3);
    throttle.admit(3);
    expect(random.draws).toBe(1);
  });
});

describe("kratos", () => {
  const failing =
    (failures: number, successes = 0) =>
    (random: ScriptedRandom) => {
      const policy = policyOf("kratos", {}, new ManualClock(1), random);
      callTimes(policy, OK, successes);
      callTimes(policy, REFUSED_503, failures);
      return policy;
    };

  it.each([
    [100, 0, 100 / 101],
    [50, 50, (100 - 50 / 0.6) / 101],
    [150, 50, (200 - 50 / 0.6) / 201],
  ])("with %i failures and %i successes rejects with p = %f", (failures, successes, p) => {
    expect(around(failing(failures, successes), failures + successes, p)).toEqual(["throttled", "send"]);
  });

  it.each([
    [99, 0],
    [40, 60],
    [0, 1000],
  ])(
    "rejects nothing below 100 requests or at a success rate of 60 %: %i failures, %i successes",
    (failures, successes) => {
      const random = new ScriptedRandom(...Array.from({ length: failures + successes }, () => ALWAYS_SEND), 0);
      expect(failing(failures, successes)(random).admit(new CallRecord())).toBe("send");
    },
  );

  it.each([
    [TOO_MANY_429, "send"],
    [answered(502), "send"],
    [answered(404), "send"],
    [answered(500), "throttled"],
    [answered(504), "throttled"],
    [REFUSED_503, "throttled"],
    [TIMED_OUT, "throttled"],
  ])("takes 500, 503, 504 and no answer for failures: %o", (end, admission) => {
    const policy = policyOf(
      "kratos",
      {},
      new ManualClock(1),
      new ScriptedRandom(...Array.from({ length: 100 }, () => 0.999), 0),
    );
    callTimes(policy, end, 100);
    expect(policy.admit(new CallRecord())).toBe(admission);
  });

  it("counts what it rejects, and forgets three seconds after the first request's bucket", () => {
    const clock = new ManualClock(1.125);
    const random = new ScriptedRandom(...Array.from({ length: 100 }, () => ALWAYS_SEND), 0);
    const policy = policyOf("kratos", {}, clock, random);
    callTimes(policy, REFUSED_503, 100);
    clock.seconds = 4.0625;
    expect(callOnce(policy, OK)).toBe("throttled");
    clock.seconds = 4.1875;
    expect(callOnce(policy, OK)).toBe("send");
  });
});

describe("failsafe-go-throttle", () => {
  const withCounts =
    (executions: number, successes: number, options = {}) =>
    (random: ScriptedRandom) => {
      const policy = policyOf("failsafe-go-throttle", options, new ManualClock(1), random);
      callTimes(policy, OK, successes);
      callTimes(policy, REFUSED_503, executions - successes);
      return policy;
    };

  it.each([
    // The source's own tests; those with a maximum of 0.8 there have 0.9 here.
    [1, 0, 0.5],
    [120, 90, 20 / 121],
    [200, 50, (200 - 50 / 0.9) / 201],
    [1000, 10, 0.9],
    [100, 0, 0.9],
  ])("with %i executions and %i successes rejects with p = %f", (executions, successes, p) => {
    expect(around(withCounts(executions, successes), executions, p)).toEqual(["throttled", "send"]);
  });

  it("rejects nothing while the system does better than the threshold, nor below the execution threshold", () => {
    const number = (draws: number) => new ScriptedRandom(...Array.from({ length: draws }, () => ALWAYS_SEND), 0);
    expect(withCounts(100, 95)(number(100)).admit(new CallRecord())).toBe("send");
    expect(withCounts(1, 0, { executionThreshold: 2 })(number(1)).admit(new CallRecord())).toBe("send");
    expect(withCounts(2, 0, { executionThreshold: 2 })(number(2)).admit(new CallRecord())).toBe("throttled");
  });

  it("rejects at a number equal to p", () => {
    expect(withCounts(1, 0)(new ScriptedRandom(ALWAYS_SEND, 0.5)).admit(new CallRecord())).toBe("throttled");
  });

  it.each([
    [0.9, 0.95, "send"],
    [1, 0.95, "throttled"],
  ])("with a maxRejectionRate of %d, a day after 100 failures a number of %d is %s: only a record purges", (...row) => {
    const [maxRejectionRate, u, admission] = row;
    const clock = new ManualClock(1);
    const numbers = Array.from({ length: 100 }, () => 0.9999);
    const policy = policyOf("failsafe-go-throttle", { maxRejectionRate }, clock, new ScriptedRandom(...numbers, u));
    callTimes(policy, REFUSED_503, 100);
    clock.seconds += 86_400;
    expect(callOnce(policy, OK)).toBe(admission);
    // The record purged the window; where none came, all is as it was.
    expect(callOnce(policy, OK)).toBe(admission);
  });

  it("forgets 60 seconds later, in buckets of 3 s on the clock", () => {
    const clock = new ManualClock(2.875);
    const policy = policyOf("failsafe-go-throttle", {}, clock, new ScriptedRandom(0.9999, 0.9999, 0.3));
    callTimes(policy, REFUSED_503, 2);
    clock.seconds = 59.875;
    expect(callOnce(policy, OK)).toBe("throttled");
    clock.seconds = 60;
    expect(callOnce(policy, OK)).toBe("throttled");
  });
});

describe("BeamThrottle", () => {
  it.each([
    // [askings before, successes, overloadRatio, p]
    [0, 0, 1.25, 0],
    [1, 0, 1.25, 1 / 2],
    [9, 4, 1.25, 4 / 10],
    [10, 8, 1.25, 0],
    [7, 2, 2, 3 / 8],
  ])("after %i askings and %i successes with K = %d delays with p = %f", (askings, successes, overloadRatio, p) => {
    const throttle = new BeamThrottle(new ScriptedRandom(ALWAYS_SEND), { overloadRatio });
    for (let n = 0; n < askings; n++) throttle.acquire(0);
    succeed(throttle, successes);
    expect(throttle.delayProbability(0)).toBe(p);
  });

  const succeed = (throttle: BeamThrottle, successes: number): void => {
    for (let n = 0; n < successes; n++) throttle.settle(new CallRecord(), "accepted", 0);
  };

  it("lets a throttled call wait 5 s and ask again, each asking counted, until it is sent", () => {
    const clock = new ManualClock(0.5);
    const policy = policyOf("beam", {}, clock, new ScriptedRandom(0.9, 0.4, 0.6, 0.7, 0.8));
    expect(callOnce(policy, REFUSED_503)).toBe("send");
    const call = new CallRecord();
    const answers: (string | number)[] = [];
    for (let n = 0; n < 4; n++) {
      call.delaySeconds = 0;
      const admission = policy.admit(call);
      answers.push(admission, call.delaySeconds);
      if (admission === "send") break;
      clock.seconds += call.delaySeconds;
    }
    // p = 1/2, 2/3, 3/4, 4/5 against 0.4, 0.6, 0.7, 0.8.
    expect(answers).toEqual(["wait", 5, "wait", 5, "wait", 5, "send", 0]);
    expect(policy.settle(call, "accepted")).toBe("done");
  });

  it.each([7, 1000])(
    "asked in second %i: buckets move on once time is beyond their end, or all at once after idleness",
    (second) => {
      const throttle = new BeamThrottle(new ScriptedRandom(ALWAYS_SEND));
      throttle.acquire(second + 0.25);
      expect([119.875, 120, 120.125].map((age) => throttle.delayProbability(second + age))).toEqual([0.5, 0.5, 0]);
      const setBack = new BeamThrottle(new ScriptedRandom(ALWAYS_SEND));
      setBack.acquire(second + 3600);
      expect([0, 119.875, 120.125].map((age) => setBack.delayProbability(second + age))).toEqual([0.5, 0.5, 0]);
      const idle = new BeamThrottle(new ScriptedRandom(ALWAYS_SEND));
      idle.acquire(second + 0.25);
      expect(idle.delayProbability(second + 120)).toBe(0);
    },
  );
});
