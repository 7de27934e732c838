import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/engine/call.ts";
import { checkConservation } from "../../src/engine/conservation.ts";
import { stream } from "../../src/plan/streams.ts";
import type { Policy, PolicyCall } from "../../src/policy/policy.ts";
import { type FakeRun, type Fate, NEVER, runFake } from "../support/fake-world.ts";

/** Sends up to `copies`, one every 0.1 s or as soon as one is overloaded, and keeps book of what it holds. */
class Hedging implements Policy {
  readonly copies: number;
  readonly refuseFrom: number;
  held = 0;
  abandoned = 0;

  constructor(copies: number, refuseFrom: number = Number.POSITIVE_INFINITY) {
    this.copies = copies;
    this.refuseFrom = refuseFrom;
  }

  admit(call: PolicyCall): "send" | "budget" {
    if (call.attempt >= this.refuseFrom) return "budget";
    if (call.attempt + 1 < this.copies) call.hedgeSeconds = 0.1;
    this.held += 1;
    return "send";
  }

  settle(call: PolicyCall, verdict: "accepted" | "overloaded" | "failed"): "retry" | "done" {
    this.held -= 1;
    return verdict === "overloaded" && call.lastAttempt + 1 < this.copies ? "retry" : "done";
  }

  abandon(): void {
    this.held -= 1;
    this.abandoned += 1;
  }
}

const ONE_CALL = { rps: 1 } as const;
const answer = (afterSeconds: number, status = 200): Fate => ({ afterSeconds, status });

function hedged(policy: Policy, fates: readonly Fate[], options: FakeRun["options"] = {}) {
  return runFake({
    plan: ONE_CALL,
    options: { timeoutSeconds: 5, ...options },
    policies: () => policy,
    fateOf: (_call: Call, index: number) => fates[index] ?? NEVER,
  });
}

const times = ({ transport }: ReturnType<typeof hedged>) =>
  transport.sent.map(({ attempt, atSeconds }) => [attempt, Math.round(1000 * atSeconds) / 1000]);

describe("OpenLoop with a policy that hedges", () => {
  it("sends a copy each hedgeSeconds without an answer, ends the call with the first accepted one and cancels the others", () => {
    const policy = new Hedging(3);
    const run = hedged(policy, [answer(1), answer(0.15), answer(1)]);
    expect(times(run)).toEqual([
      [0, 0],
      [1, 0.1],
      [2, 0.2],
    ]);
    const { measured } = run.recorder;
    expect(measured.outcomes.ok).toBe(1);
    expect(measured.classes).toMatchObject({ accepted: 1, cancelled: 2 });
    expect(measured.response.ok?.summary().maxMs).toBeCloseTo(250, 3);
    expect(measured.service.cancelled?.summary()).toMatchObject({ count: 2, censored: 2 });
    expect(run.transport.cancelled).toBe(2);
    expect([policy.held, policy.abandoned]).toEqual([0, 2]);
    checkConservation(run.recorder);
  });

  it("sends no copy of a call that is answered in time", () => {
    const run = hedged(new Hedging(3), [answer(0.09)]);
    expect(times(run)).toEqual([[0, 0]]);
    expect(run.recorder.measured.classes.cancelled).toBe(0);
  });

  it("sends the next copy at once when one is overloaded, and its time starts anew", () => {
    const run = hedged(new Hedging(4), [answer(1), answer(0.05, 503), answer(1), answer(1)]);
    expect(times(run)).toEqual([
      [0, 0],
      [1, 0.1],
      [2, 0.15],
      [3, 0.25],
    ]);
    expect(run.recorder.measured.classes).toMatchObject({ accepted: 1, overloaded: 1, cancelled: 2 });
    checkConservation(run.recorder);
  });

  it("waits for the copies under way when the last one is overloaded, and fails when all were", () => {
    const waits = hedged(new Hedging(2), [answer(0.5), answer(0.1, 503)]);
    expect(waits.recorder.measured.outcomes.ok).toBe(1);
    const own = hedged(new Hedging(2), [answer(0.15, 503), answer(0.3)]);
    // The first copy's overload asks for attempt 2, which the policy does not make: the second one goes on.
    expect(own.recorder.measured.outcomes.ok).toBe(1);
    const fails = hedged(new Hedging(2), [answer(0.5, 503), answer(0.1, 503)]);
    expect(fails.recorder.measured.outcomes.failed).toBe(1);
    expect(fails.recorder.measured.classes.overloaded).toBe(2);
    for (const run of [waits, own, fails]) checkConservation(run.recorder);
  });

  it("ends the call at once with a fault that is no overload", () => {
    const run = hedged(new Hedging(2), [NEVER, { fault: "other", afterSeconds: 0.1 }]);
    expect(run.recorder.measured.outcomes.failed).toBe(1);
    expect(run.recorder.measured.classes).toMatchObject({ failed: 1, cancelled: 1 });
    expect(run.loop.doneSeconds).toBeLessThan(1.5);
  });

  it("goes on with the copies under way when the policy refuses another one", () => {
    const run = hedged(new Hedging(5, 1), [answer(0.5)]);
    expect(times(run)).toEqual([[0, 0]]);
    expect(run.recorder.measured.outcomes).toMatchObject({ ok: 1, budget: 0 });
    checkConservation(run.recorder);
  });

  it("counts all copies that are under way when the trial is cut off", () => {
    const run = hedged(new Hedging(3), [], { timeoutSeconds: 100, drainSeconds: 1 });
    expect(run.recorder.measured.outcomes.unfinished).toBe(1);
    expect(run.recorder.measured.inFlightAtEnd).toBe(3);
    checkConservation(run.recorder);
  });

  it("keeps the conservation law, and every hold is released once, whatever becomes of the copies", () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 31 }), fc.integer({ min: 1, max: 5 }), (seed, copies) => {
        const random = stream(seed, "target");
        const policies = [0, 1, 2].map(() => new Hedging(copies));
        const { recorder } = runFake({
          plan: { rps: 40, users: 3, durationSeconds: 2 },
          options: { timeoutSeconds: 0.4, drainSeconds: 3, maxInFlight: 30 },
          policies: (user) => policies[user] as Policy,
          fateOf: () => {
            const u = random.random();
            if (u < 0.1) return NEVER;
            if (u < 0.15) return { fault: "other", afterSeconds: random.random() };
            if (u < 0.2) return { fault: "stale", afterSeconds: 0.2 * random.random() };
            if (u < 0.3) return { status: 503, afterSeconds: 0 };
            return { status: u < 0.6 ? 503 : 200, afterSeconds: 0.3 * random.random() };
          },
        });
        checkConservation(recorder);
        expect(recorder.measured.outcomes.unfinished).toBe(0);
        expect(policies.map(({ held }) => held)).toEqual([0, 0, 0]);
      }),
      { numRuns: 60 },
    );
  });
});
