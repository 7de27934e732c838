import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allMustSucceed,
  CircuitBreaker,
  type CircuitBreakerOptions,
  type LateResults,
} from "../../../src/policy/breaker/circuit-breaker.ts";
import { ConsecutiveRule } from "../../../src/policy/breaker/consecutive-rule.ts";
import { constantOpenTime } from "../../../src/policy/breaker/open-time.ts";
import { REFUSED } from "../../../src/policy/parts.ts";

/** Opens at the second failure in a row for 10 s; a probe may be out for 4 s. */
function twoFailures(options: Partial<CircuitBreakerOptions> = {}): CircuitBreaker {
  return new CircuitBreaker({
    rule: new ConsecutiveRule(2),
    openTime: constantOpenTime(10),
    halfOpens: "at",
    probes: 1,
    judge: allMustSucceed(options.probes ?? 1),
    probeTimeoutSeconds: 4,
    late: "ignored",
    ...options,
  });
}

/** Two attempts fail at that time. */
function trip(breaker: CircuitBreaker, atSeconds = 0): void {
  for (let n = 0; n < 2; n++) breaker.leave(breaker.enter(atSeconds), "failure", 0, atSeconds);
  expect(breaker.phase).toBe("open");
}

const enterAtOnce = (breaker: CircuitBreaker, count: number, atSeconds: number): number[] =>
  Array.from({ length: count }, () => breaker.enter(atSeconds)).filter((ticket) => ticket !== REFUSED);

describe("CircuitBreaker", () => {
  it("lets exactly one of 100 concurrent attempts pass at half-open, and all of them once that one succeeded", () => {
    const breaker = twoFailures();
    trip(breaker);
    expect(enterAtOnce(breaker, 100, 9.75)).toEqual([]);
    const [probe, ...others] = enterAtOnce(breaker, 100, 10);
    expect(others).toEqual([]);
    breaker.leave(probe as number, "success", 0.5, 10.5);
    expect(breaker.phase).toBe("closed");
    expect(enterAtOnce(breaker, 100, 10.5)).toHaveLength(100);
  });

  it("is open for its whole time again when the probe fails, from the failure on", () => {
    const breaker = twoFailures();
    trip(breaker);
    breaker.leave(breaker.enter(10), "failure", 3, 13);
    expect(enterAtOnce(breaker, 100, 22.75)).toEqual([]);
    expect(enterAtOnce(breaker, 100, 23)).toHaveLength(1);
    expect(breaker.openings).toBe(2);
  });

  it("gives a probe that never settles up after its time, lets one more out, and does not listen to the first any more", () => {
    const breaker = twoFailures();
    trip(breaker);
    const [lost] = enterAtOnce(breaker, 100, 10);
    expect(enterAtOnce(breaker, 100, 13.75)).toEqual([]);
    const second = enterAtOnce(breaker, 100, 14);
    expect(second).toHaveLength(1);
    breaker.leave(lost as number, "success", 6, 16);
    expect(breaker.phase).toBe("halfOpen");
    breaker.leave(second[0] as number, "success", 3, 17);
    expect(breaker.phase).toBe("closed");
  });

  it("probes that never settle take one attempt each 4 s, for ever", () => {
    const breaker = twoFailures();
    trip(breaker);
    let sent = 0;
    for (let at = 10; at < 1000; at += 0.5) sent += enterAtOnce(breaker, 3, at).length;
    expect(sent).toBe(248);
    expect(enterAtOnce(breaker, 3, 1_000_000)).toHaveLength(1);
  });

  it("frees the place of a probe that is no evidence, at once and for one", () => {
    const breaker = twoFailures();
    trip(breaker);
    breaker.leave(breaker.enter(10), "ignored", 0, 10);
    expect(breaker.phase).toBe("halfOpen");
    const [probe, ...others] = enterAtOnce(breaker, 100, 10.25);
    expect(others).toEqual([]);
    breaker.leave(probe as number, "ignored", 0, 10.5);
    breaker.leave(probe as number, "ignored", 0, 10.5);
    expect(enterAtOnce(breaker, 100, 10.75)).toHaveLength(1);
  });

  it("with three probes a result that is told twice is no third success", () => {
    const breaker = twoFailures({ probes: 3 });
    trip(breaker);
    const probes = enterAtOnce(breaker, 2, 10);
    for (let n = 0; n < 5; n++) breaker.leave(probes[0] as number, "success", 0, 10.25);
    expect(breaker.phase).toBe("halfOpen");
  });

  it("attempts that are no evidence neither open it nor break a row of failures", () => {
    const breaker = twoFailures();
    for (let n = 0; n < 1000; n++) breaker.leave(breaker.enter(0), "ignored", 0, 0);
    breaker.leave(breaker.enter(0), "failure", 0, 0);
    breaker.leave(breaker.enter(0), "ignored", 0, 0);
    breaker.leave(breaker.enter(0), "failure", 0, 0);
    expect(breaker.phase).toBe("open");
  });

  describe("results that come late", () => {
    /** What the late result of an attempt that was let in while closed makes of the breaker. */
    function after(late: LateResults, evidence: "success" | "failure", moment: "open" | "halfOpen" | "closedAgain") {
      const breaker = twoFailures({ late });
      const attempt = breaker.enter(0);
      trip(breaker);
      if (moment !== "open") {
        const probe = breaker.enter(10);
        if (moment === "closedAgain") breaker.leave(probe, "success", 0, 10);
      }
      breaker.leave(attempt, evidence, 11, 11);
      if (moment === "closedAgain") breaker.leave(breaker.enter(11), "failure", 0, 11);
      return breaker.phase;
    }

    it.each([
      ["ignored", "success", "open", "open"],
      ["ignored", "failure", "open", "open"],
      ["ignored", "success", "halfOpen", "halfOpen"],
      ["ignored", "failure", "halfOpen", "halfOpen"],
      ["ignored", "failure", "closedAgain", "closed"],
      ["presentState", "success", "halfOpen", "closed"],
      ["presentState", "failure", "halfOpen", "open"],
      ["presentState", "failure", "closedAgain", "open"],
      ["ownState", "success", "halfOpen", "halfOpen"],
      ["ownState", "failure", "halfOpen", "open"],
      ["ownState", "failure", "closedAgain", "open"],
    ] as const)("%s: a late %s while %s leads to %s", (late, evidence, moment, phase) => {
      expect(after(late, evidence, moment)).toBe(phase);
    });
  });

  describe("on a clock that misbehaves", () => {
    it.each([
      ["an hour back", 100, -3500],
      ["an hour back, below zero", 0, -3600],
    ])("set %s while open, it is open for its own time and no longer", (_how, at, set) => {
      const breaker = twoFailures();
      trip(breaker, at);
      expect(enterAtOnce(breaker, 10, set)).toEqual([]);
      expect(enterAtOnce(breaker, 10, set + 9.75)).toEqual([]);
      expect(enterAtOnce(breaker, 10, set + 10)).toHaveLength(1);
    });

    it("set an hour back while a probe is out, it waits for the probe's time and no longer", () => {
      const breaker = twoFailures();
      trip(breaker, 5000);
      expect(enterAtOnce(breaker, 10, 5010)).toHaveLength(1);
      expect(enterAtOnce(breaker, 10, 1410)).toEqual([]);
      expect(enterAtOnce(breaker, 10, 1414)).toHaveLength(1);
    });

    it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
      "a reading of %f is the one before",
      (bad) => {
        const breaker = twoFailures();
        breaker.leave(breaker.enter(0), "failure", 0, 0);
        breaker.leave(breaker.enter(0), "failure", 0, bad);
        expect(enterAtOnce(breaker, 10, bad)).toEqual([]);
        expect(enterAtOnce(breaker, 10, 9.75)).toEqual([]);
        expect(enterAtOnce(breaker, 10, 10)).toHaveLength(1);
      },
    );
  });

  it("whatever happens in whatever order, no more probes are out than there are places, and successes close it in the end", () => {
    const step = fc.record({
      kind: fc.constantFrom("enter", "leave", "leaveTwice"),
      index: fc.nat(20),
      evidence: fc.constantFrom("success", "failure", "ignored"),
      passSeconds: fc.oneof(
        fc.double({ min: 0, max: 5, noNaN: true }),
        fc.constantFrom(-3600, 3600, 864_000, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
      ),
    });
    const late = fc.constantFrom<LateResults>("ignored", "presentState", "ownState");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 4 }), late, (steps, probes, late) => {
        const breaker = twoFailures({ probes, late });
        const underWay: { readonly ticket: number; readonly openings: number }[] = [];
        let now = 0;
        for (const { kind, index, evidence, passSeconds } of steps) {
          const reading = now + passSeconds;
          if (Number.isFinite(reading)) now = reading;
          if (kind === "enter") {
            const wasHalfOpen = breaker.phase === "halfOpen";
            const ticket = breaker.enter(reading);
            if (breaker.phase === "open") expect(ticket).toBe(REFUSED);
            if (breaker.phase === "closed") expect(ticket).toBeGreaterThanOrEqual(0);
            if (ticket === REFUSED) continue;
            underWay.push({ ticket, openings: breaker.openings });
            if (breaker.phase === "halfOpen" && wasHalfOpen) {
              expect(underWay.filter((call) => call.ticket === ticket).length).toBeLessThanOrEqual(probes);
            }
          } else {
            const at = index % Math.max(1, underWay.length);
            const [call] = underWay.splice(at, 1);
            if (call === undefined) continue;
            const times = kind === "leaveTwice" ? 2 : 1;
            for (let n = 0; n < times; n++) breaker.leave(call.ticket, evidence, Math.abs(passSeconds), reading);
          }
        }
        for (let n = 0; n < 2 * probes + 1; n++) {
          now += 20;
          breaker.leave(breaker.enter(now), "success", 0, now);
        }
        expect(breaker.phase).toBe("closed");
      }),
    );
  });
});
