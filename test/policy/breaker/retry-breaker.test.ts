import { describe, expect, it } from "vitest";
import { RetryBreaker } from "../../../src/policy/breaker/retry-breaker.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import { DENIED } from "../../../src/policy/parts.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";
import { randomOf } from "./scenario.ts";
import { presetNamed } from "./story.ts";

/** So many calls begin, and so many attempts fail. */
function fed(breaker: RetryBreaker, calls: number, failures: number, atSeconds: number): RetryBreaker {
  const call = new CallRecord();
  for (let n = 0; n < calls; n++) breaker.callStarted(atSeconds);
  for (let n = 0; n < failures; n++) breaker.attemptEnded(call, "overloaded", 0, atSeconds);
  return breaker;
}

const grants = (breaker: RetryBreaker, atSeconds = 0): boolean =>
  breaker.withdraw(new CallRecord(), atSeconds) !== DENIED;

describe("RetryBreaker", () => {
  it.each([
    [0, 0, true],
    [1, 1, false],
    [9, 1, false],
    [10, 1, true],
    [19, 2, false],
    [20, 2, true],
    [1000, 100, true],
    [1000, 101, false],
  ])("after %i calls and %i failed attempts, a retry is granted: %s", (calls, failures, granted) => {
    expect(grants(fed(new RetryBreaker(0.1, 0), calls, failures, 0))).toBe(granted);
  });

  it("counts a `failed` attempt, and neither an accepted one nor a fault of our own", () => {
    const breaker = fed(new RetryBreaker(0.1, 0), 10, 1, 0);
    const call = new CallRecord();
    breaker.attemptEnded(call, "accepted", 0, 0);
    call.fault = "client";
    breaker.attemptEnded(call, "failed", 0, 0);
    expect(grants(breaker)).toBe(true);
    call.fault = "other";
    breaker.attemptEnded(call, "failed", 0, 0);
    expect(grants(breaker)).toBe(false);
  });

  it("without a window never forgets; with one grants again after an idle spell", () => {
    const whole = fed(new RetryBreaker(0.1, 0), 10, 10, 0);
    const window = fed(new RetryBreaker(0.1, 10), 10, 10, 0);
    expect([grants(whole, 9.75), grants(window, 9.75)]).toEqual([false, false]);
    expect([grants(whole, 864_000), grants(window, 864_000)]).toEqual([false, true]);
    expect(grants(fed(window, 10, 1, 864_000), 864_000)).toBe(true);
    expect(grants(fed(window, 0, 1, 864_000), 864_000)).toBe(false);
  });
});

describe("breaker-retries-only", () => {
  const createWith = (options = {}) => {
    const { preset, own } = resolvePreset(presetNamed("breaker-retries-only"), options);
    return (clock: ManualClock) => preset.create(own)(clock, new ScriptedRandom(0), new ScriptedRandom(0));
  };

  it("never refuses a first attempt, and ends a call whose retry it denies as broken", () => {
    const policy = createWith()(new ManualClock());
    for (let n = 0; n < 100; n++) {
      const call = new CallRecord();
      expect(policy.admit(call)).toBe("send");
      expect(policy.settle(call, "overloaded")).toBe("broken");
    }
  });

  it("makes up to three retries after many successes", () => {
    const policy = createWith()(new ManualClock());
    const call = new CallRecord();
    for (let n = 0; n < 100; n++) {
      policy.admit(call);
      policy.settle(call, "accepted");
    }
    const steps = [0, 1, 2, 3].map((attempt) => {
      call.attempt = attempt;
      expect(policy.admit(call)).toBe("send");
      return policy.settle(call, "overloaded");
    });
    expect(steps).toEqual(["retry", "retry", "retry", "done"]);
  });

  /** Load and successes per call, of 100 clients, when every attempt fails with that probability. */
  function load(failing: number): readonly [sentPerCall: number, okPerCall: number] {
    const create = createWith();
    const random = randomOf(7);
    const clients = 100;
    const callsEach = 300;
    let sent = 0;
    let ok = 0;
    for (let client = 0; client < clients; client++) {
      const policy = create(new ManualClock());
      const call = new CallRecord();
      for (let n = 0; n < callsEach; n++) {
        call.attempt = 0;
        for (;;) {
          if (policy.admit(call) === "send") sent++;
          const accepted = random() >= failing;
          if (accepted) ok++;
          if (policy.settle(call, accepted ? "accepted" : "overloaded") !== "retry") break;
          call.attempt++;
        }
      }
    }
    return [sent / (clients * callsEach), ok / (clients * callsEach)];
  }

  it.each([
    [0.05, 1.05, 1],
    [0.3, 1, 0.7],
    [0.5, 1, 0.5],
    [0.9, 1, 0.1],
    [1, 1, 0],
  ])("with a share of %f of all attempts failing sends %f attempts a call, %f of them well", (failing, sent, ok) => {
    const [sentPerCall, okPerCall] = load(failing);
    expect(sentPerCall).toBeCloseTo(sent, 1.7);
    expect(okPerCall).toBeCloseTo(ok, 1.7);
  });

  it("at its own threshold makes some of the retries: 1.02 to 1.04 attempts a call, 0.92 to 0.94 of them well", () => {
    const [sentPerCall, okPerCall] = load(0.1);
    expect(sentPerCall).toBeGreaterThan(1.02);
    expect(sentPerCall).toBeLessThan(1.04);
    expect(okPerCall).toBeGreaterThan(0.92);
    expect(okPerCall).toBeLessThan(0.94);
  });
});
