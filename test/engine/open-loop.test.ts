import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkConservation } from "../../src/engine/conservation.ts";
import { stream } from "../../src/plan/streams.ts";
import { OverloadClient } from "../../src/policy/overload-client.ts";
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
    expect(recorder.outcomes.unfinished).toBe(10);
    expect(recorder.inFlightAtEnd).toBe(10);
    checkConservation(recorder);
  });

  it("retries at once on overload until the policy has enough, and calls that failed", () => {
    const { transport, recorder } = runFake({ plan: { rps: 1 }, fateOf: () => OVERLOADED });
    expect(transport.sent.map((sent) => sent.attempt)).toEqual([0, 1, 2]);
    expect(recorder.outcomes.failed).toBe(1);
    expect(recorder.classes.overloaded).toBe(3);
    checkConservation(recorder);
  });

  it("takes synchronous answers in a loop, so that many retries do not exhaust the stack", () => {
    const attempts = 50_000;
    const { recorder } = runFake({
      plan: { rps: 1 },
      policies: () => ({ admit: () => "send", settle: (call) => (call.attempt + 1 < attempts ? "retry" : "done") }),
      fateOf: () => ({ status: 503, afterSeconds: 0 }),
    });
    expect(recorder.sent).toBe(attempts);
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
    expect(recorder.errors.get("timeout")).toBe(3);
    expect(recorder.outcomes.failed).toBe(1);
    const service = recorder.service.overloaded?.summary();
    expect(service?.censored).toBe(3);
    expect(service?.maxMs).toBeCloseTo(200, 6);
    expect(recorder.response.failed?.summary().maxMs).toBeCloseTo(600, 6);
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
    expect(recorder.outcomes.dropped).toBe(6);
    expect(asked).toBe(4);
    expect(loop.inFlightMax).toBe(4);
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
    expect(recorder.sent).toBe(2);
    expect(recorder.classes).toMatchObject({ accepted: 1, staleConnection: 1 });
    expect(recorder.outcomes.ok).toBe(1);
    expect(recorder.lateness.count).toBe(1);
    checkConservation(recorder);
  });

  it("accepts a 404 and a 500 as work taken, but does not call them ok", () => {
    const statuses = [404, 500, 200, 301];
    const { recorder } = runFake({
      plan: { rps: 4 },
      fateOf: (_call, index) => ({ status: statuses[index] as number, afterSeconds: 0.01 }),
    });
    expect(recorder.classes.accepted).toBe(4);
    expect(recorder.outcomes).toMatchObject({ ok: 2, failed: 2 });
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
    expect(recorder.planned).toBeLessThan(10);
    expect(recorder.outcomes.ok).toBe(recorder.planned);
    checkConservation(recorder);
  });

  it("stop() before the first arrival gives an empty trial", () => {
    const { recorder } = runFake({ fateOf: () => OK, before: (loop) => loop.stop() });
    expect(recorder.planned).toBe(0);
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

  it("keeps the conservation law for any mixture of answers, faults, silence, bounds and interruptions", () => {
    const fate = fc.record({
      status: fc.constantFrom(0, 200, 404, 429, 500, 503),
      fault: fc.constantFrom("none", "none", "none", "refused", "reset", "stale", "client", "other", "timeout"),
      afterSeconds: fc.constantFrom(0, 0, 0.001, 0.05, 0.4, 3, Number.POSITIVE_INFINITY),
    });
    fc.assert(
      fc.property(
        fc.array(fate, { minLength: 1, maxLength: 12 }),
        fc.constantFrom("constant" as const, "poisson" as const),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(0.05, 0.3, 5),
        fc.constantFrom(0, 0.2, 8),
        fc.constantFrom(1, 3, 1000),
        fc.double({ min: 0, max: 4, noNaN: true }),
        fc.integer({ min: 0, max: 1000 }),
        (fates, law, users, timeoutSeconds, drainSeconds, maxInFlight, stopAt, seed) => {
          const { recorder } = runFake({
            plan: { arrival: { law, rate: { kind: "constant", rps: 40 } }, users, durationSeconds: 2, seed },
            options: { timeoutSeconds, drainSeconds, maxInFlight },
            policies: (user, clock) => new OverloadClient(clock, stream(seed, "policy", user), { window: 2 }),
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
      { numRuns: 300 },
    );
  });
});
