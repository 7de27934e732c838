/** The preset sre-throttle is the throttle of OverloadClient, and its siblings are what they say. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { OverloadClient } from "../../../src/policy/overload-client.ts";
import type { AttemptVerdict, Policy } from "../../../src/policy/policy.ts";
import { SentOnlyPolicy } from "../../../src/policy/sent-only-policy.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";
import { callOnce, callTimes, ended, OK, policyOf, presetNamed, REFUSED_503 } from "./throttle-driver.ts";

const binaryFractions = (max: number) => fc.integer({ min: 0, max: max * 64 }).map((n) => n / 64);
const verdicts = fc.constantFrom<AttemptVerdict>("accepted", "overloaded", "failed");
const numbers = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 8,
  maxLength: 60,
});
const forwards = fc.oneof(fc.constant(0), binaryFractions(1), binaryFractions(30));
const anyTime = fc.oneof(forwards, fc.double(), fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, -3600, 1e9));

interface Step {
  readonly kind: "start" | "end";
  readonly advance: number;
  readonly verdict: AttemptVerdict;
}

/** Calls that overlap: each step begins one, or ends the one that has been under way for longest. */
function stepsWith(advance: fc.Arbitrary<number>): fc.Arbitrary<Step[]> {
  const step = fc.record({ kind: fc.constantFrom("start" as const, "end" as const), advance, verdict: verdicts });
  return fc.array(step, { maxLength: 80 });
}

function trace(policy: Policy, clock: ManualClock, steps: readonly Step[]): string[] {
  const underWay: CallRecord[] = [];
  const answers: string[] = [];
  for (const { kind, advance, verdict } of steps) {
    clock.seconds = Number.isFinite(clock.seconds) ? clock.seconds + advance : advance;
    if (kind === "start") {
      const call = new CallRecord();
      const admission = policy.admit(call);
      answers.push(admission);
      if (admission === "send") underWay.push(call);
    } else {
      const call = underWay.shift();
      if (call === undefined) continue;
      const next = policy.settle(call, verdict);
      answers.push(next);
      if (next !== "retry") continue;
      call.attempt++;
      const admission = policy.admit(call);
      answers.push(admission);
      if (admission === "send") underWay.unshift(call);
    }
  }
  return answers;
}

describe("sre-throttle", () => {
  it("gives what OverloadClient without retries gives, on clocks that step back and jump too", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 1.1, 1.5, 2, 3),
        fc.constantFrom(1, 1.5, 5, 10, 120),
        numbers,
        stepsWith(anyTime),
        (k, window, draws, steps) => {
          const [clock, other] = [new ManualClock(0.5), new ManualClock(0.5)];
          const client = new OverloadClient(clock, new ScriptedRandom(...draws), { k, window, maxAttempts: 1 });
          const preset = policyOf("sre-throttle", { k, window }, other, new ScriptedRandom(...draws));
          expect(trace(preset, other, steps)).toEqual(trace(client, clock, steps));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("gives with retries what OverloadClient with a budget that never binds gives", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 1.5, 2, 3),
        fc.integer({ min: 2, max: 4 }),
        numbers,
        // Within a window, or a budget of any size denies: it holds 0 < ratio x 0 for false.
        stepsWith(binaryFractions(1)),
        (k, maxAttempts, draws, steps) => {
          const [clock, other] = [new ManualClock(0.5), new ManualClock(0.5)];
          const options = { k, window: 120, maxAttempts };
          const client = new OverloadClient(clock, new ScriptedRandom(...draws), { ...options, retryRatio: 1e9 });
          const preset = policyOf("sre-throttle", options, other, new ScriptedRandom(...draws));
          expect(trace(preset, other, steps)).toEqual(trace(client, clock, steps));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("with countLocal 0 and countAt 1 gives what AdaptiveThrottle gives while nothing leaves the window", () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 1.5, 2, 3), numbers, stepsWith(binaryFractions(1)), (k, draws, steps) => {
        const [clock, other] = [new ManualClock(0.5), new ManualClock(0.5)];
        const sentOnly = new SentOnlyPolicy(clock, new ScriptedRandom(...draws), { k, window: 120 });
        const options = { k, window: 120, countLocal: 0, countAt: 1 };
        const preset = policyOf("sre-throttle", options, other, new ScriptedRandom(...draws));
        expect(trace(preset, other, steps)).toEqual(trace(sentOnly, clock, steps));
      }),
      { numRuns: 300 },
    );
  });

  it("has one attempt by default, and the defaults of OverloadClient", () => {
    const { options } = presetNamed("sre-throttle");
    expect(Object.fromEntries(Object.entries(options).map(([name, spec]) => [name, spec.default]))).toEqual({
      k: 2,
      window: 120,
      bucket: 1,
      countLocal: 1,
      countAt: 0,
      minRequests: 0,
      protection: 0,
      maxReject: 1,
      forcePass: 0,
      aggression: 1,
      maxAttempts: 1,
    });
  });
});

describe("calls that overlap on a cold client", () => {
  it.each([
    ["sre-throttle", "throttled"],
    ["sre-completion", "send"],
  ])("with %s: the second is %s", (name, second) => {
    const policy = policyOf(name, {}, new ManualClock(0.5), new ScriptedRandom(0.4));
    expect(policy.admit(new CallRecord())).toBe("send");
    expect(policy.admit(new CallRecord())).toBe(second);
  });
});

describe("sre-criticality", () => {
  it("throttles a class by what became of that class alone", () => {
    const policy = policyOf("sre-criticality", {}, new ManualClock(0.5), new ScriptedRandom(0.999, 0.4));
    const [sheddable, critical] = [ended(REFUSED_503, 3), ended(OK, 1)];
    expect(policy.admit(sheddable)).toBe("send");
    expect(policy.settle(sheddable, "overloaded")).toBe("done");
    expect(policy.admit(critical)).toBe("send");
    expect(policy.settle(critical, "accepted")).toBe("done");
    expect(policy.admit(ended(OK, 3))).toBe("throttled");
    expect(policy.admit(ended(OK, 1))).toBe("send");
  });

  it("with calls of one class is sre-throttle", () => {
    const outcomes = ["sre-criticality", "sre-throttle"].map((name) => {
      const policy = policyOf(
        name,
        { k: 1.5, window: 10 },
        new ManualClock(0.5),
        new ScriptedRandom(0.9, 0.5, 0.2, 0.7),
      );
      callTimes(policy, REFUSED_503, 3);
      return [OK, OK, REFUSED_503, OK, OK].map((end) => callOnce(policy, end));
    });
    expect(outcomes[0]).toEqual(outcomes[1]);
  });
});
