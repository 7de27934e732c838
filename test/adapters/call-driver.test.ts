/** The driver between a policy and a transport, both scripted, on fake timers. */

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallDriver } from "../../src/adapters/call-driver.ts";
import { AttemptTimeoutError, OverloadControlError } from "../../src/adapters/overload-control-error.ts";
import { type OverloadControlOptions, resolveSettings } from "../../src/adapters/settings.ts";
import type { OverloadControlEvent } from "../../src/index.ts";
import type { Admission, NextStep, PolicyCall } from "../../src/policy/policy.ts";
import { FakeSender } from "./fake-sender.ts";
import { type Script, ScriptedPolicy } from "./scripted-policy.ts";

const REQUEST = { origin: "http://a.test", method: "GET", path: "/" };
const REPEATABLE = { hasRepeatableBody: true, isIdempotent: true };
const noHeaders = (): null => null;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function drive(script: Script = {}, options: OverloadControlOptions = {}, request = REPEATABLE) {
  const clock = {
    seconds: 100,
    now(): number {
      return this.seconds;
    },
  };
  const policy = new ScriptedPolicy(script);
  const events: OverloadControlEvent[] = [];
  const settings = resolveSettings({
    policy: policy.factory,
    clock,
    onEvent: (event) => {
      events.push(event);
    },
    ...options,
  });
  const sender = new FakeSender();
  const driver = new CallDriver(settings, settings.policies.of("key"), REQUEST, request, sender);
  sender.driver = driver;
  return { clock, policy, events, sender, driver };
}

const wait =
  (seconds: number) =>
  (call: PolicyCall): Admission => {
    call.delaySeconds = seconds;
    return "wait";
  };
const retryAfter =
  (seconds: number) =>
  (call: PolicyCall): NextStep => {
    call.delaySeconds = seconds;
    return "retry";
  };

describe("CallDriver", () => {
  test("keeps the answer in hand until the retry is admitted, and hands it over when it is not", () => {
    const admitted = drive();
    admitted.driver.start();
    admitted.driver.answered(503, noHeaders);
    admitted.driver.answered(200, noHeaders);
    expect(admitted.sender.log).toEqual(["send 0", "send 1", "deliver"]);
    const refused = drive({ admit: ({ attempt }) => (attempt === 0 ? "send" : "limited") });
    refused.driver.start();
    refused.driver.answered(503, noHeaders);
    expect(refused.sender.log).toEqual(["send 0", "deliver"]);
  });

  test("lets the answer go when a wait begins, and never twice", () => {
    const { driver, sender, policy } = drive({
      admit: (call, times) => (times === 1 || times > 3 ? "send" : wait(1)(call)),
      settle: (call, verdict) => (verdict === "accepted" ? "done" : retryAfter(2)(call)),
    });
    driver.start();
    driver.answered(503, noHeaders);
    expect(sender.log).toEqual(["send 0", "letGo"]);
    vi.advanceTimersByTime(1999);
    expect(policy.count("admit")).toBe(1);
    vi.advanceTimersByTime(1);
    expect(policy.count("admit")).toBe(2);
    vi.advanceTimersByTime(2000);
    driver.answered(200, noHeaders);
    expect(sender.log).toEqual(["send 0", "letGo", "send 1", "deliver"]);
  });

  test("gives the error in hand rather than one of its own, also after a backoff", () => {
    const { driver, sender } = drive({
      admit: ({ attempt }) => (attempt === 0 ? "send" : "throttled"),
      settle: retryAfter(1),
    });
    const error = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
    driver.start();
    driver.faulted(error);
    vi.advanceTimersByTime(1000);
    expect(sender.errors).toEqual([error]);
  });

  test("an answer, a fault or an abort after the end changes nothing", () => {
    const { driver, sender, policy } = drive();
    driver.start();
    driver.answered(200, noHeaders);
    driver.answered(503, noHeaders);
    driver.faulted(new Error("late"));
    driver.abort("late");
    driver.start();
    expect(sender.log).toEqual(["send 0", "deliver"]);
    expect(policy.log).toEqual(["admit 0", "settle 0 accepted 200 none"]);
  });

  test("an attempt that is answered before send() returns is taken as any other", () => {
    const { driver, sender } = drive();
    sender.onSend = (self, attempt) => self.answered(attempt < 2 ? 503 : 200, noHeaders);
    driver.start();
    expect(sender.log).toEqual(["send 0", "send 1", "send 2", "deliver"]);
  });

  test("times an attempt out, cancels it and settles it once, and does not time its body", () => {
    const { driver, sender, policy, events, clock } = drive({}, { timeoutSeconds: 2 });
    driver.start();
    clock.seconds += 2;
    vi.advanceTimersByTime(2000);
    expect(sender.log).toEqual(["send 0", "cancel", "send 1"]);
    expect(policy.log[1]).toBe("settle 0 overloaded 0 timeout");
    expect(events[0]).toMatchObject({ type: "attempt", fault: "timeout", seconds: 2 });
    driver.answered(200, noHeaders);
    vi.advanceTimersByTime(10_000);
    expect(sender.log).toEqual(["send 0", "cancel", "send 1", "deliver"]);
  });

  test("the time-out of the last attempt is the caller's error", () => {
    const { driver, sender } = drive({ settle: () => "done" }, { timeoutSeconds: 0.25 });
    driver.start();
    vi.advanceTimersByTime(250);
    expect(sender.errors).toEqual([new AttemptTimeoutError(0.25)]);
  });

  test("an abort tells the policy once, wherever the call stands", () => {
    const stages: Readonly<Record<string, { script: Script; go: (driver: CallDriver) => void; log: string[] }>> = {
      new: { script: {}, go: () => {}, log: ["fail"] },
      waiting: { script: { admit: wait(9) }, go: (driver) => driver.start(), log: ["fail"] },
      sent: { script: {}, go: (driver) => driver.start(), log: ["send 0", "cancel", "fail"] },
      backoff: {
        script: { settle: retryAfter(9) },
        go: (driver) => {
          driver.start();
          driver.answered(503, noHeaders);
        },
        log: ["send 0", "letGo", "fail"],
      },
    };
    for (const [stage, { script, go, log }] of Object.entries(stages)) {
      const { driver, sender, policy, events } = drive(script);
      go(driver);
      driver.abort("reason");
      driver.abort("again");
      expect(sender.log, stage).toEqual(log);
      expect(sender.errors, stage).toEqual(["reason"]);
      expect(policy.count("abandon"), stage).toBe(stage === "new" ? 0 : 1);
      expect(events.filter(({ type }) => type === "call")).toMatchObject([{ outcome: "aborted" }]);
    }
  });

  test("a listener that aborts the call from its event ends it once", () => {
    for (const type of ["attempt", "wait", "notResent"] as const) {
      const made = drive(
        { settle: type === "wait" ? retryAfter(9) : () => "retry" },
        { onEvent: (event) => event.type === type && made.driver.abort("reason") },
        type === "notResent" ? { hasRepeatableBody: false, isIdempotent: true } : REPEATABLE,
      );
      made.driver.start();
      made.driver.answered(503, noHeaders);
      expect(made.sender.log, type).toEqual(["send 0", "letGo", "fail"]);
      expect(made.policy.count("abandon"), type).toBe(1);
    }
  });

  test("a retry that the request does not allow is abandoned, and the caller gets the answer", () => {
    const { driver, sender, policy, events } = drive({}, {}, { hasRepeatableBody: true, isIdempotent: false });
    driver.start();
    driver.faulted(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    expect(sender.log).toEqual(["send 0", "fail"]);
    expect(policy.log).toEqual(["admit 0", "settle 0 overloaded 0 reset", "abandon 1"]);
    expect(events.map(({ type }) => type)).toEqual(["attempt", "notResent", "call"]);
  });

  test("tells settle the highest attempt so far, no delay and no time-out of an earlier attempt", () => {
    const seen: unknown[] = [];
    const { driver } = drive({
      admit: (call) => {
        seen.push([call.delaySeconds, call.timeoutSeconds, call.requestHeaders, call.hedgeSeconds]);
        call.timeoutSeconds = 5;
        call.requestHeaders = ["a", "b"];
        return "send";
      },
      settle: (call) => {
        seen.push([call.attempt, call.lastAttempt, call.delaySeconds]);
        return call.attempt === 0 ? retryAfter(1)(call) : "done";
      },
    });
    driver.start();
    driver.answered(503, noHeaders);
    vi.advanceTimersByTime(1000);
    driver.answered(200, noHeaders);
    const fresh = [0, Number.POSITIVE_INFINITY, undefined, Number.POSITIVE_INFINITY];
    expect(seen).toEqual([fresh, [0, 0, 0], fresh, [1, 1, 0]]);
  });

  test("waits that no timer can count, or that are none, do not make it spin", () => {
    for (const seconds of [1e9, Number.POSITIVE_INFINITY]) {
      const { driver, policy } = drive({ admit: wait(seconds) });
      driver.start();
      vi.advanceTimersByTime(86_400_000);
      expect(policy.count("admit")).toBe(1);
      driver.abort("enough");
    }
    for (const seconds of [0, -1, Number.NaN]) {
      const { driver, policy } = drive({ admit: wait(seconds) });
      driver.start();
      expect(policy.count("admit")).toBe(1);
      vi.advanceTimersByTime(10);
      expect(policy.count("admit")).toBeLessThanOrEqual(11);
      driver.abort("enough");
    }
  });

  test("says the outcome of a refusal, and the status of the last answer, in its error", () => {
    const { driver, sender } = drive({
      admit: ({ attempt }) => (attempt === 0 ? "send" : "broken"),
      settle: retryAfter(0.5),
    });
    driver.start();
    driver.answered(429, noHeaders);
    vi.advanceTimersByTime(500);
    const [error] = sender.errors;
    expect(error).toBeInstanceOf(OverloadControlError);
    expect(error).toMatchObject({
      code: "OVERLOAD_CONTROL_BROKEN",
      outcome: "broken",
      key: "key",
      attempts: 1,
      status: 429,
    });
    expect((error as Error).message).toBe("Overload control of key: no further attempt after 1, broken");
  });

  test("the criticality of a call is the caller's to say", () => {
    const seen: number[] = [];
    const { driver } = drive(
      {
        admit: (call) => {
          seen.push(call.criticality);
          return "limited";
        },
      },
      { criticalityOf: ({ path }) => (path === "/" ? 3 : 0) },
    );
    driver.start();
    expect(seen).toEqual([3]);
  });

  test("an attempt that cannot be made is a fault of the client's, settled once and never made again, whenever it was due", () => {
    const stages: Readonly<Record<string, { script: Script; ms: number }>> = {
      "at once": { script: { settle: () => "retry" }, ms: 0 },
      "after a wait": {
        script: { admit: (call, times) => (times === 1 ? wait(1)(call) : "send"), settle: retryAfter(1) },
        ms: 1000,
      },
    };
    for (const [stage, { script, ms }] of Object.entries(stages)) {
      const { driver, sender, policy, events } = drive(script, { timeoutSeconds: 2 });
      const error = new TypeError("bad header");
      sender.misfire = error;
      driver.start();
      vi.advanceTimersByTime(ms);
      expect(vi.getTimerCount(), stage).toBe(0);
      expect(sender.log, stage).toEqual(["send 0", "fail"]);
      expect(sender.errors, stage).toEqual([error]);
      expect(policy.log.slice(-2), stage).toEqual(["settle 0 failed 0 client", "abandon 1"]);
      expect(events.filter(({ type }) => type === "call")).toMatchObject([{ outcome: "failed", attempts: 1 }]);
    }
  });

  test("a policy that throws, or admits by nonsense, ends the call with an error, after a wait as at once", () => {
    const broken: Readonly<Record<string, () => Admission>> = {
      throws: () => {
        throw new TypeError("mine");
      },
      undefined: () => undefined as unknown as Admission,
      promise: () => Promise.resolve("send") as unknown as Admission,
    };
    for (const [name, answer] of Object.entries(broken)) {
      for (const waits of [0, 1]) {
        const { driver, sender, policy } = drive();
        let times = 0;
        policy.admit = (call) => (times++ < waits ? wait(1)(call) : answer());
        driver.start();
        vi.advanceTimersByTime(1000);
        expect(sender.log, name).toEqual(["fail"]);
        expect(sender.errors[0], name).toBeInstanceOf(TypeError);
        expect(policy.count("abandon"), name).toBe(1);
      }
    }
  });

  test("a policy whose abandon() throws keeps no call from its end", () => {
    const { driver, sender, policy } = drive();
    policy.abandon = () => {
      throw new Error("mine");
    };
    driver.start();
    driver.abort("left");
    expect(sender.log).toEqual(["send 0", "cancel", "fail"]);
    expect(sender.errors).toEqual(["left"]);
  });

  test("no timer throws, whatever its transport or the clock does", () => {
    for (const timeoutSeconds of [1, Number.POSITIVE_INFINITY]) {
      const { driver, sender, clock } = drive(
        timeoutSeconds === 1 ? {} : { admit: (call, times) => (times === 1 ? wait(1)(call) : "send") },
        { timeoutSeconds },
      );
      driver.start();
      sender.cancel = () => {
        throw new Error("cancel");
      };
      clock.now = () => {
        throw new Error("clock");
      };
      expect(() => vi.advanceTimersByTime(1000)).not.toThrow();
      driver.abort("over already");
      expect(sender.errors.length).toBe(1);
      expect(driver.isOver).toBe(true);
    }
  });

  test("whatever happens in whatever order: the protocol holds, the call ends once, and no timer is left", () => {
    const happening = fc.constantFrom("answer200", "answer503", "refused", "reset", "timer", "abort");
    const admission = fc.constantFrom<Admission[]>("send", "send", "send", "wait", "throttled");
    const step = fc.constantFrom<NextStep[]>("done", "retry", "retry", "budget");
    fc.assert(
      fc.property(
        fc.array(happening, { maxLength: 12 }),
        fc.array(admission, { minLength: 1, maxLength: 8 }),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        (happenings, admissions, steps, hasRepeatableBody, isIdempotent) => {
          let asked = 0;
          let settled = 0;
          const { driver, sender, policy, events } = drive(
            {
              admit: (call) => {
                call.delaySeconds = 1;
                return admissions[asked++ % admissions.length] as Admission;
              },
              settle: (call) => {
                call.delaySeconds = settled % 2;
                return steps[settled++ % steps.length] as NextStep;
              },
            },
            { timeoutSeconds: 3 },
            { hasRepeatableBody, isIdempotent },
          );
          driver.start();
          for (const each of happenings) {
            if (each === "answer200") driver.answered(200, noHeaders);
            else if (each === "answer503") driver.answered(503, noHeaders);
            else if (each === "refused") driver.faulted(Object.assign(new Error(each), { code: "ECONNREFUSED" }));
            else if (each === "reset") driver.faulted(Object.assign(new Error(each), { code: "ECONNRESET" }));
            else if (each === "timer") vi.advanceTimersToNextTimer();
            else driver.abort("left");
          }
          driver.abort("the end");
          const ends = sender.log.filter((entry) => entry === "deliver" || entry === "fail");
          expect(ends.length).toBe(1);
          expect(sender.log.at(-1)).toBe(ends[0]);
          expect(vi.getTimerCount()).toBe(0);
          const sends = sender.log.filter((entry) => entry.startsWith("send")).length;
          expect(policy.count("settle")).toBeLessThanOrEqual(sends);
          expect(policy.count("abandon")).toBeLessThanOrEqual(1);
          expect(events.filter(({ type }) => type === "call")).toMatchObject([{ attempts: sends }]);
          // Each send is followed by one settle, but for one that was abandoned under way.
          expect(sends - policy.count("settle")).toBeLessThanOrEqual(policy.count("abandon"));
          // No answer is both let go and handed over.
          for (const [index, entry] of sender.log.entries()) {
            if (entry === "letGo") expect(sender.log[index + 1]).not.toBe("deliver");
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
