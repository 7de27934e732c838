/** What holds for every budget, whatever the clock, the driver and the options do. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetPresets } from "../../../src/policy/budget/presets.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import type { PolicyPreset } from "../../../src/policy/preset.ts";
import { answer, callOnce, client, type End, startCalls } from "./one-call.ts";

/** The longest that a preset may have its driver wait, with its defaults. */
const CAPS: Readonly<Record<string, number>> = {
  "sre-budget": 0,
  "finagle-budget": 0.2,
  "linkerd-budget": 0,
  "grpc-retry-throttling": 1.2,
  "aws-standard": 20,
  "brooker-token-bucket": 0,
  "envoy-budget": 0.25,
  "failsafe-go-budget": 0,
  mongodb: 10,
};

type Step =
  | { readonly does: "start" | "retry" | "abandon" | "settleAgain"; readonly index: number }
  | { readonly does: "settle"; readonly index: number; readonly end: End }
  | { readonly does: "clock"; readonly seconds: number };

const index = fc.nat(30);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constant("start" as const), index }) },
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant("settle" as const),
        index,
        end: fc.constantFrom<End>("ok", "busy", "busy", "busy", "timeout", "throttled", "broken", "missing"),
      }),
    },
    { weight: 3, arbitrary: fc.record({ does: fc.constant("retry" as const), index }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("abandon" as const), index }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("settleAgain" as const), index }) },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant("clock" as const),
        seconds: fc.oneof(
          fc.double({ min: -10, max: 1000, noNaN: true }),
          fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -3600, 3600, 604_800, 2 ** 53),
        ),
      }),
    },
  ),
  { maxLength: 120 },
);

/** Draws from 0 to the largest number below 1, in turns. */
class Extremes {
  private turn = 0;

  random(): number {
    this.turn = (this.turn + 1) % 3;
    return [0, 0.5, 1 - 2 ** -53][this.turn] as number;
  }
}

/** Does what the steps say to up to 31 calls at a time, then ends them all. */
function misuse(policy: Policy, clock: { seconds: number }, script: readonly Step[], cap: number): void {
  const sent: CallRecord[] = [];
  const waiting: CallRecord[] = [];
  const over: CallRecord[] = [];
  const take = (from: CallRecord[], at: number) => from.splice(at % from.length, 1)[0] as CallRecord;
  const admit = (call: CallRecord) => {
    call.prepareAdmission(Number.POSITIVE_INFINITY);
    expect(policy.admit(call)).toBe("send");
    sent.push(call);
  };
  for (const step of script) {
    if (step.does === "clock") clock.seconds = step.seconds;
    else if (step.does === "start") admit(over.pop() ?? new CallRecord());
    else if (step.does === "retry" && waiting.length > 0) admit(take(waiting, step.index));
    else if (step.does === "abandon" && waiting.length + sent.length > 0) {
      const call = take(waiting.length > 0 ? waiting : sent, step.index);
      policy.abandon?.(call);
      policy.abandon?.(call);
      call.attempt = 0;
      over.push(call);
    } else if (step.does === "settleAgain" && over.length > 0) {
      const late = over[step.index % over.length] as CallRecord;
      expect(policy.settle(late, answer(late, "busy"))).toBe("done");
    } else if (step.does === "settle" && sent.length > 0) {
      const call = take(sent, step.index);
      const next = policy.settle(call, answer(call, step.end));
      expect(["done", "retry", "budget"]).toContain(next);
      expect(call.delaySeconds).toBeGreaterThanOrEqual(0);
      expect(call.delaySeconds).toBeLessThanOrEqual(cap);
      if (next === "retry") {
        call.attempt += 1;
        waiting.push(call);
      } else {
        call.attempt = 0;
        over.push(call);
      }
    }
  }
  for (const call of [...waiting, ...sent]) policy.abandon?.(call);
}

/** Retries of 50 calls that fail together: what the budget has now. */
function burst(policy: Policy): number {
  const retried = startCalls(policy, 50).filter((call) => policy.settle(call, answer(call, "busy")) === "retry");
  for (const call of retried) policy.abandon?.(call);
  return retried.length;
}

const extremes = (preset: PolicyPreset, end: "min" | "max"): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(preset.options).map(([name, spec]) => [
      name,
      name === "maxAttempts" ? 5000 : Math.min(spec[end], 2 ** 53 - 1),
    ]),
  );

describe.each(budgetPresets.map((preset) => [preset.name, preset] as const))("%s", (name, preset) => {
  it("survives any clock and any driver, and has all of its budget again after idle time and successes", () => {
    fc.assert(
      fc.property(steps, (script) => {
        const { policy, clock } = client(preset, {}, new Extremes());
        misuse(policy, clock, script, CAPS[name] as number);
        clock.seconds = 0;
        callOnce(policy, "ok");
        clock.seconds = 86_400;
        for (let success = 0; success < 600; success++) callOnce(policy, "ok");
        const fresh = client(preset);
        for (let success = 0; success < 600; success++) callOnce(fresh.policy, "ok");
        expect(burst(policy)).toBe(burst(fresh.policy));
      }),
      { numRuns: 60 },
    );
  });

  it.each(["min", "max"] as const)("survives them with all options at their %simum", (end) => {
    const options = extremes(preset, end);
    fc.assert(
      fc.property(steps, (script) => {
        const { policy, clock } = client(preset, options, new Extremes());
        misuse(policy, clock, script, Number.MAX_VALUE);
      }),
      { numRuns: 40 },
    );
  });

  it("has finite delays within its cap for 5,000 retries of one call", () => {
    const generous = { retryRatio: 1000, percentCanRetry: 1000, maxTokens: 1000, bucketSize: 1e6, capacity: 1e6 };
    const options = Object.fromEntries(Object.entries(generous).filter(([option]) => option in preset.options));
    const { policy } = client(preset, { ...options, maxAttempts: 5001 }, new Extremes());
    const { attempts, delays } = callOnce(policy, "busy");
    expect(attempts).toBeGreaterThan(100);
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(CAPS[name] as number);
    }
  });

  it("holds no more after 20,000 calls than after 200", () => {
    const { policy, clock } = client(preset);
    const sizeAfter = (calls: number) => {
      for (let call = 0; call < calls; call++) {
        clock.seconds += 0.25;
        callOnce(policy, ...(call % 3 === 0 ? (["busy", "ok"] as const) : (["ok"] as const)));
      }
      return JSON.stringify(policy).length;
    };
    sizeAfter(2000);
    const small = sizeAfter(200);
    expect(sizeAfter(20_000)).toBeLessThan(small + 200);
  });
});
