import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkConservation } from "../../src/engine/conservation.ts";
import type { LatePolicy } from "../../src/engine/trial-spec.ts";
import { stream } from "../../src/plan/streams.ts";
import { OverloadClient } from "../../src/policy/overload-client.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { type Fate, NEVER, runFake } from "../support/fake-world.ts";

const OK: Fate = { status: 200, afterSeconds: 0.01 };
const OVERLOADED: Fate = { status: 503, afterSeconds: 0.01 };

describe("OpenLoop", () => {
  it("sends each arrival of the plan at its time, whatever became of the ones before", () => {
    const { transport, recorder } = runFake({
      fateOf: () => NEVER,
      options: { timeoutSeconds: 100, drainSeconds: 0.5 },
    });
    expect(transport.sent.map((sent) => sent.atSeconds)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
    expect(recorder.measured.outcomes.unfinished).toBe(10);
    expect(recorder.measured.inFlightAtEnd).toBe(10);
    checkConservation(recorder);
  });

  it("retries at once on overload until the policy has enough, and calls that failed", () => {
    const { transport, recorder } = runFake({ plan: { rps: 1 }, fateOf: () => OVERLOADED });
    expect(transport.sent.map((sent) => sent.attempt)).toEqual([0, 1, 2]);
    expect(recorder.measured.outcomes.failed).toBe(1);
    expect(recorder.measured.classes.overloaded).toBe(3);
    checkConservation(recorder);
  });

  it("takes synchronous answers in a loop, so that many retries do not exhaust the stack", () => {
    const attempts = 50_000;
    const { recorder } = runFake({
      plan: { rps: 1 },
      policies: () => ({ admit: () => "send", settle: (call) => (call.attempt + 1 < attempts ? "retry" : "done") }),
      fateOf: () => ({ status: 503, afterSeconds: 0 }),
    });
    expect(recorder.measured.sent).toBe(attempts);
    checkConservation(recorder);
  });

  it("waits before a retry as long as the policy says", () => {
    const { transport } = runFake({
      plan: { rps: 1 },
      policies: () => ({
        admit: () => "send",
        settle(call, verdict) {
          call.delaySeconds = 0.25;
          return verdict === "overloaded" && call.attempt < 2 ? "retry" : "done";
        },
      }),
      fateOf: () => ({ status: 503, afterSeconds: 0 }),
    });
    expect(transport.sent.map((sent) => sent.atSeconds)).toEqual([0, 0.25, 0.5]);
  });

  it("ends an attempt at its deadline and counts it as overload, with a service time that is a lower bound", () => {
    const { recorder, transport } = runFake({
      plan: { rps: 1 },
      options: { timeoutSeconds: 0.2 },
      fateOf: () => NEVER,
    });
    expect(transport.cancelled).toBe(3);
    expect(recorder.measured.errors.get("timeout")).toBe(3);
    expect(recorder.measured.outcomes.failed).toBe(1);
    const service = recorder.measured.service.overloaded?.summary();
    expect(service?.censored).toBe(3);
    expect(service?.maxMs).toBeCloseTo(200, 6);
    expect(recorder.measured.response.failed?.summary().maxMs).toBeCloseTo(600, 6);
    checkConservation(recorder);
  });

  it("drops, and counts, what the in-flight bound refuses, without asking the policy", () => {
    let asked = 0;
    const { recorder, loop } = runFake({
      options: { maxInFlight: 4, timeoutSeconds: 100, drainSeconds: 1 },
      policies: () => ({
        admit() {
          asked += 1;
          return "send";
        },
        settle: () => "done",
      }),
      fateOf: () => NEVER,
    });
    expect(recorder.measured.outcomes.dropped).toBe(6);
    expect(asked).toBe(4);
    expect(loop.inFlightMax).toBe(4);
    checkConservation(recorder);
  });

  it("comes late to what falls due while it stands still, counts it, and lets it show in response, not in service", () => {
    const { recorder, transport } = runFake({
      fateOf: () => OK,
      stalls: [{ fromSeconds: 0.15, toSeconds: 0.55 }],
    });
    expect(transport.sent).toHaveLength(10);
    const { measured, series } = recorder;
    expect(measured).toMatchObject({ planned: 10, lateStarted: 4, lateDropped: 0 });
    expect(series.late[0]).toBe(4);
    // Planned for 0.2, 0.3, 0.4 and 0.5 s, started at 0.55 s.
    expect(measured.lateness.maxSeconds).toBeCloseTo(0.35, 9);
    expect(measured.response.ok?.maxSeconds).toBeCloseTo(0.36, 9);
    expect(measured.service.accepted?.maxSeconds).toBeCloseTo(0.01, 9);
    checkConservation(recorder);
  });

  it("drops what it comes to later than it may, without asking the policy, and counts it", () => {
    let asked = 0;
    const { recorder, transport } = runFake({
      fateOf: () => OK,
      stalls: [{ fromSeconds: 0.15, toSeconds: 0.55 }],
      options: { late: { kind: "drop", afterSeconds: 0.2 } },
      policies: () => ({
        admit() {
          asked += 1;
          return "send";
        },
        settle: () => "done",
      }),
    });
    // Of 0.2, 0.3, 0.4 and 0.5 s the first two are over 0.2 s late at 0.55 s, the others within the bound.
    const { measured, series } = recorder;
    expect(measured).toMatchObject({ planned: 10, lateStarted: 0, lateDropped: 2 });
    expect(measured.outcomes).toMatchObject({ ok: 8, dropped: 2 });
    expect(series.late[0]).toBe(2);
    expect([asked, transport.sent.length]).toEqual([8, 8]);
    expect(measured.lateness.summary()).toMatchObject({ count: 10, censored: 2 });
    expect(measured.lateness.maxSeconds).toBeCloseTo(0.35, 9);
    checkConservation(recorder);
  });

  it("starts no call after the drain's bound: what it has not come to by then is dropped, and counted", () => {
    const { recorder } = runFake({
      plan: { rps: 100, durationSeconds: 1 },
      options: { drainSeconds: 0.5 },
      stalls: [{ fromSeconds: 0.105, toSeconds: 3 }],
      fateOf: () => OK,
    });
    expect(recorder.measured.planned).toBe(100);
    expect(recorder.measured.lateDropped).toBe(89);
    expect(recorder.measured.outcomes).toMatchObject({ ok: 11, dropped: 89 });
    checkConservation(recorder);
  });

  it("records the lateness of every call, also of one that the policy refuses", () => {
    const { recorder } = runFake({
      policies: () => ({ admit: () => "throttled", settle: () => "done" }),
      fateOf: () => OK,
      stalls: [{ fromSeconds: 0.45, toSeconds: 0.6 }],
    });
    expect(recorder.measured.lateness.count).toBe(10);
    expect(recorder.measured.lateness.maxSeconds).toBeCloseTo(0.1, 9);
    expect(recorder.measured.lateStarted).toBe(1);
    checkConservation(recorder);
  });

  it("knows the calls that it started after the planned end, but not those that it dropped", () => {
    const stalls = [{ fromSeconds: 0.75, toSeconds: 1.5 }];
    const sent = runFake({ fateOf: () => OK, stalls }).recorder;
    expect(sent.measured.startedAfterEnd).toBe(2);
    const dropped = runFake({ fateOf: () => OK, stalls, options: { late: { kind: "drop", afterSeconds: 0.05 } } });
    expect(dropped.recorder.measured).toMatchObject({ startedAfterEnd: 0, lateDropped: 2 });
  });

  it("keeps calls intended before the end of the warm-up out of every figure but in the series", () => {
    const { recorder, loop, measuringSeconds, transport } = runFake({
      plan: { warmupSeconds: 2, durationSeconds: 1 },
      // The calls of the warm-up end inside the measured window, and are none of its business.
      fateOf: (call) => (call.intendedSeconds < 2 ? { status: 503, afterSeconds: 0.9 } : OK),
    });
    expect(measuringSeconds).toEqual([2]);
    expect(loop.arrivalsEndSeconds).toBe(3);
    expect(transport.sent).toHaveLength(20 * 3 + 10);
    const { warmup, measured, series } = recorder;
    expect(warmup).toMatchObject({ planned: 20, sent: 60 });
    expect(warmup.outcomes).toMatchObject({ ok: 0, failed: 20 });
    expect(measured).toMatchObject({ planned: 10, sent: 10 });
    expect(measured.outcomes).toMatchObject({ ok: 10, failed: 0 });
    expect([...measured.statuses]).toEqual([[200, 10]]);
    expect([...recorder.userPlanned]).toEqual([10]);
    // The last row is that of retries which are sent in the drain.
    expect([...series.offered]).toEqual([10, 10, 10, 0]);
    expect([...series.failed]).toEqual([10, 10, 0, 0]);
    expect([...series.sent]).toEqual([30, 30, 10, 0]);
    checkConservation(recorder);
  });

  it("counts attempts by the second of their call, and by the second in which they are sent, into the drain", () => {
    const { recorder, transport } = runFake({
      plan: { warmupSeconds: 1, durationSeconds: 2 },
      fateOf: (_call, index) => (index % 2 === 0 ? { status: 503, afterSeconds: 0.7 } : OK),
    });
    const bySecond = [0, 0, 0, 0, 0];
    for (const { atSeconds } of transport.sent) bySecond[Math.floor(atSeconds)]! += 1;
    const { sent, sentInSecond } = recorder.series;
    expect([...sentInSecond]).toEqual(bySecond.slice(0, sentInSecond.length));
    expect([...sentInSecond]).not.toEqual([...sent]);
    expect(sentInSecond[3]).toBeGreaterThan(0);
    expect(sent[3]).toBe(0);
    checkConservation(recorder);
  });

  it("says at the start that the measured window begins when there is no warm-up, and nothing when stopped in it", () => {
    expect(runFake({ fateOf: () => OK }).measuringSeconds).toEqual([0]);
    const { measuringSeconds, recorder, loop } = runFake({
      plan: { warmupSeconds: 2 },
      fateOf: () => OK,
      before(running, nowSeconds) {
        if (nowSeconds >= 1.05) running.stop();
      },
    });
    expect(measuringSeconds).toEqual([]);
    expect(loop.interrupted).toBe(true);
    expect(recorder.measured.planned).toBe(0);
    expect(recorder.warmup.planned).toBeGreaterThan(0);
    checkConservation(recorder);
  });

  it("sends a request that met a stale connection again, outside the policy, and counts both", () => {
    const settled: string[] = [];
    const { recorder } = runFake({
      plan: { rps: 1 },
      policies: () => ({
        admit: () => "send",
        settle(_call, verdict) {
          settled.push(verdict);
          return "done";
        },
      }),
      fateOf: (_call, index) => (index === 0 ? { fault: "stale", afterSeconds: 0.01 } : OK),
    });
    expect(settled).toEqual(["accepted"]);
    expect(recorder.measured.sent).toBe(2);
    expect(recorder.measured.classes).toMatchObject({ accepted: 1, staleConnection: 1 });
    expect(recorder.measured.outcomes.ok).toBe(1);
    expect(recorder.measured.lateness.count).toBe(1);
    checkConservation(recorder);
  });

  it("accepts a 404 and a 500 as work taken, but does not call them ok", () => {
    const statuses = [404, 500, 200, 301];
    const { recorder } = runFake({
      plan: { rps: 4 },
      fateOf: (_call, index) => ({ status: statuses[index] as number, afterSeconds: 0.01 }),
    });
    expect(recorder.measured.classes.accepted).toBe(4);
    expect(recorder.measured.outcomes).toMatchObject({ ok: 2, failed: 2 });
    checkConservation(recorder);
  });

  it("stop() ends the arrivals and drains, and what was planned so far adds up", () => {
    const { recorder, loop } = runFake({
      fateOf: () => ({ status: 200, afterSeconds: 0.3 }),
      before(running, nowSeconds) {
        if (nowSeconds >= 0.45) running.stop();
      },
    });
    expect(loop.interrupted).toBe(true);
    expect(loop.arrivalsEndSeconds).toBeLessThan(0.6);
    expect(recorder.measured.planned).toBeLessThan(10);
    expect(recorder.measured.outcomes.ok).toBe(recorder.measured.planned);
    checkConservation(recorder);
  });

  it("stop() before the first arrival gives an empty trial", () => {
    const { recorder } = runFake({ fateOf: () => OK, before: (loop) => loop.stop() });
    expect(recorder.measured.planned).toBe(0);
    checkConservation(recorder);
  });

  it("gives each user a policy of its own, built at the user's first call", () => {
    const built: number[] = [];
    runFake({
      plan: { users: 3, rps: 9 },
      policies(user, clock) {
        built.push(user);
        return new OverloadClient(clock, stream(1, "policy", user));
      },
      fateOf: () => OK,
    });
    expect(built).toEqual([0, 1, 2]);
  });

  it("keeps the conservation law for any mixture of answers, faults, silence, stalls, bounds, shards and interruptions", () => {
    const fate = fc.record({
      status: fc.constantFrom(0, 200, 404, 429, 500, 503),
      fault: fc.constantFrom("none", "none", "none", "refused", "reset", "stale", "client", "other", "timeout"),
      afterSeconds: fc.constantFrom(0, 0, 0.001, 0.05, 0.4, 3, Number.POSITIVE_INFINITY),
    });
    const stall = fc
      .tuple(fc.double({ min: 0, max: 4, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([fromSeconds, seconds]) => ({ fromSeconds, toSeconds: fromSeconds + seconds }));
    const scenario = fc.record({
      fates: fc.array(fate, { minLength: 1, maxLength: 12 }),
      law: fc.constantFrom("constant" as const, "poisson" as const),
      users: fc.integer({ min: 1, max: 20 }),
      warmupSeconds: fc.constantFrom(0, 0, 1),
      timeoutSeconds: fc.constantFrom(0.05, 0.3, 5),
      drainSeconds: fc.constantFrom(0, 0.2, 8),
      maxInFlight: fc.constantFrom(1, 3, 1000),
      late: fc.constantFrom<LatePolicy>(
        { kind: "send" },
        { kind: "drop", afterSeconds: 0.02 },
        { kind: "drop", afterSeconds: 0.3 },
      ),
      stalls: fc.array(stall, { maxLength: 2 }),
      shards: fc.integer({ min: 1, max: 3 }),
      delaySeconds: fc.constantFrom(0, 0, 0.1),
      stopAt: fc.double({ min: 0, max: 4, noNaN: true }),
      seed: fc.integer({ min: 0, max: 1000 }),
    });
    fc.assert(
      fc.property(
        scenario,
        ({ fates, law, users, warmupSeconds, stalls, shards, delaySeconds, stopAt, seed, ...bounds }) => {
          const { recorder } = runFake({
            plan: {
              arrival: { law, rate: { kind: "constant", rps: 40 } },
              users,
              warmupSeconds,
              durationSeconds: 2,
              seed,
            },
            options: bounds,
            stalls,
            shard: [shards - 1, shards],
            policies: (user, clock) =>
              delayed(new OverloadClient(clock, stream(seed, "policy", user), { window: 2 }), delaySeconds),
            fateOf(call, index) {
              const chosen = fates[index % fates.length] as Fate;
              // A transport calls a connection stale once a call: the resend is on a fresh one.
              if (chosen.fault === "stale" && call.resent) return { status: 200, afterSeconds: chosen.afterSeconds };
              if (chosen.fault === "none" && chosen.status === 0)
                return { status: 200, afterSeconds: chosen.afterSeconds };
              return chosen.fault === "none"
                ? chosen
                : { fault: chosen.fault as never, afterSeconds: chosen.afterSeconds };
            },
            before(loop, nowSeconds) {
              if (nowSeconds >= stopAt) loop.stop();
            },
          });
          checkConservation(recorder);
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** The policy with a pause before each retry. */
function delayed(policy: Policy, delaySeconds: number): Policy {
  return {
    admit: (call) => policy.admit(call),
    settle(call, verdict) {
      call.delaySeconds = delaySeconds;
      return policy.settle(call, verdict);
    },
  };
}
