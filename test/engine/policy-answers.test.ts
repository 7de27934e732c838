/** What the open loop does with what a policy may ask beyond sending and retrying at once. */

import { describe, expect, it } from "vitest";
import type { Call } from "../../src/engine/call.ts";
import { checkConservation } from "../../src/engine/conservation.ts";
import { stream } from "../../src/plan/streams.ts";
import { resolvePolicy } from "../../src/policy/catalogue.ts";
import type { Policy, PolicyCall } from "../../src/policy/policy.ts";
import { userPolicies } from "../../src/policy/user-policies.ts";
import { type FakeRun, type Fate, NEVER, runFake } from "../support/fake-world.ts";

const OK: Fate = { status: 200, afterSeconds: 0.01 };
const OVERLOADED: Fate = { status: 503, afterSeconds: 0.01 };

function run(policy: Policy, fateOf: FakeRun["fateOf"], change: Partial<FakeRun> = {}) {
  const trial = runFake({ plan: { rps: 1 }, policies: () => policy, fateOf, ...change });
  checkConservation(trial.recorder);
  const times = trial.transport.sent.map(({ atSeconds }) => Math.round(1e6 * atSeconds) / 1e6);
  return { ...trial, times, outcomes: trial.recorder.measured.outcomes };
}

const always = (answer: Partial<Policy>): Policy => ({ admit: () => "send", settle: () => "done", ...answer });

describe("OpenLoop and its policies", () => {
  it("asks again for the same attempt after a wait, as often as the policy wants it", () => {
    const asked: number[] = [];
    const admit = (call: PolicyCall): "wait" | "send" => {
      asked.push(call.attempt);
      if (asked.length === 3) return "send";
      call.delaySeconds = 0.25;
      return "wait";
    };
    const { times, outcomes, recorder } = run(always({ admit }), () => OK);
    expect(asked).toEqual([0, 0, 0]);
    expect(times).toEqual([0.5]);
    expect(outcomes.ok).toBe(1);
    expect(recorder.measured.response.ok?.summary().maxMs).toBeCloseTo(510, 3);
  });

  it("lets time pass between two questions, however short the wait", () => {
    const admit = (call: PolicyCall): "wait" => {
      call.delaySeconds = Number.MIN_VALUE;
      return "wait";
    };
    const { outcomes, times } = run(always({ admit }), () => OK, {
      options: { drainSeconds: 0.01 },
      plan: { rps: 1, durationSeconds: 1e-2 },
    });
    expect(outcomes.unfinished + outcomes.dropped).toBe(1);
    expect(times).toEqual([]);
  });

  it.each(["budget", "broken", "throttled", "limited", "deadline"] as const)(
    "ends the call as %s when a retry that is due is denied with it",
    (denial) => {
      const { times, outcomes } = run(always({ settle: () => denial }), () => OVERLOADED);
      expect(times).toHaveLength(1);
      expect(outcomes[denial]).toBe(1);
    },
  );

  it("ends an attempt at the time-out that the policy gave it, each at its own, in any order", () => {
    const given = [0.8, 0.2, 0.5];
    const admit = (call: PolicyCall): "send" => {
      call.timeoutSeconds = Math.min(call.timeoutSeconds, given[Math.round(10 * call.intendedSeconds)] ?? 9);
      return "send";
    };
    const { recorder, transport } = run(always({ admit }), () => NEVER, {
      plan: { rps: 10, durationSeconds: 0.4 },
      options: { timeoutSeconds: 0.6 },
    });
    const service = recorder.measured.service.overloaded?.summary();
    // 0.8 and the one that gave none got the usual 0.6.
    expect(service).toMatchObject({ count: 4, censored: 4 });
    expect(service?.minMs).toBeCloseTo(200, 3);
    expect(service?.maxMs).toBeCloseTo(600, 3);
    expect(service?.meanMs).toBeCloseTo((600 + 200 + 500 + 600) / 4, 0);
    expect(transport.cancelled).toBe(4);
  });

  it("does not end a later attempt at the time-out of one that was answered before", () => {
    let attempts = 0;
    const policy = always({
      admit(call) {
        attempts += 1;
        if (attempts === 1) call.timeoutSeconds = 0.3;
        return "send";
      },
      settle: (call, verdict) => (verdict === "overloaded" && call.attempt < 1 ? "retry" : "done"),
    });
    const fates: readonly Fate[] = [OVERLOADED, { status: 200, afterSeconds: 0.5 }];
    const { outcomes } = run(policy, (_call: Call, index: number) => fates[index] ?? NEVER);
    expect(outcomes.ok).toBe(1);
  });

  it("wakes a record no earlier than it asked, though it was cancelled in the middle of a longer wait before", () => {
    // The second copy of the first call waits for its retry, at 1.01, when the first copy is answered. Its record serves the
    // third call, which waits for its own retry from 0.51 to 1.41.
    const policy = always({
      admit(call) {
        if (call.attempt === 0 && call.intendedSeconds === 0) call.hedgeSeconds = 0.1;
        return "send";
      },
      settle(call, verdict) {
        call.delaySeconds = 0.9;
        return verdict === "overloaded" && call.attempt < 3 ? "retry" : "done";
      },
      abandon() {},
    });
    const fates: readonly Fate[] = [{ status: 200, afterSeconds: 0.2 }, OVERLOADED, NEVER, OVERLOADED];
    const { times } = run(policy, (_call: Call, index: number) => fates[index] ?? OK, {
      plan: { rps: 4, durationSeconds: 0.75 },
      options: { timeoutSeconds: 5 },
    });
    expect(times.slice(0, 5)).toEqual([0, 0.1, 0.25, 0.5, 1.41]);
  });

  it("takes the outcome from the answer, not from what a policy makes of the record", () => {
    const policy = always({
      settle(call) {
        call.status = 500;
        return "done";
      },
    });
    expect(run(policy, () => OK).outcomes.ok).toBe(1);
  });

  it("ends calls at their deadline, wherever they are then", () => {
    const deadlined = userPolicies(
      resolvePolicy("retry", { maxAttempts: 9, deadline: "500ms", backoff: "exponential" }),
      {
        policy: (user) => stream(1, "policy", user),
        jitter: (user) => stream(1, "jitter", user),
      },
    );
    const trial = runFake({
      plan: { rps: 10, durationSeconds: 1 },
      options: { timeoutSeconds: 5 },
      policies: deadlined,
      fateOf: (call) => (call.intendedSeconds < 0.5 ? NEVER : OVERLOADED),
    });
    checkConservation(trial.recorder);
    const { outcomes, response } = trial.recorder.measured;
    expect(outcomes.deadline).toBe(10);
    expect(response.deadline?.summary().maxMs).toBeCloseTo(500, 0);
  });
});
