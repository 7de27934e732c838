import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { breakerPresets } from "../../../src/policy/breaker/presets.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import type { AttemptVerdict } from "../../../src/policy/policy.ts";
import type { PolicyPreset } from "../../../src/policy/preset.ts";
import { ManualClock } from "../fakes.ts";

/** Options that let a few failures open each of them, for at most 60 s. */
const touchy: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "breaker-ratio": { minRequests: 3 },
  polly: { minimumThroughput: 3 },
  resilience4j: { minimumNumberOfCalls: 3, permittedNumberOfCallsInHalfOpenState: 3 },
  hystrix: { requestVolumeThreshold: 3 },
  cockatiel: { minimumRps: 0.1 },
  "finagle-failure-accrual": { maxBackoff: 60 },
};

const half = { random: () => 0.5 };

function make(preset: PolicyPreset, clock: ManualClock) {
  const { own } = resolvePreset(preset, { maxAttempts: 3, ...touchy[preset.name] });
  return preset.create(own)(clock, half, half);
}

const verdict = fc.constantFrom<AttemptVerdict>("accepted", "overloaded", "failed");

describe.each(breakerPresets.map((preset) => [preset.name, preset] as const))("%s", (name, preset) => {
  const refuses = name !== "breaker-retries-only";

  it("with any clock, any order, results late, twice or never: throws never, and lets calls through again when all is well", () => {
    const step = fc.record({
      kind: fc.constantFrom("begin", "settle", "settleTwice", "abandon"),
      index: fc.nat(30),
      verdict,
      seconds: fc.oneof(
        fc.double({ min: 0, max: 3, noNaN: true }),
        fc.constantFrom(-3600, 3600, 864_000, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const clock = new ManualClock(1000);
        const policy = make(preset, clock);
        const underWay: CallRecord[] = [];
        let now = 1000;
        for (const { kind, index, verdict, seconds } of steps) {
          clock.seconds = now + seconds;
          if (Number.isFinite(clock.seconds)) now = clock.seconds;
          if (kind === "begin") {
            const call = new CallRecord();
            call.prepareAdmission(10);
            const admission = policy.admit(call);
            expect(["send", "broken"]).toContain(admission);
            if (admission === "send") underWay.push(call);
            continue;
          }
          const [call] = underWay.splice(index % Math.max(1, underWay.length), 1);
          if (call === undefined) continue;
          if (kind === "abandon") policy.abandon?.(call);
          else expect(["done", "retry", "broken"]).toContain(policy.settle(call, verdict));
          if (kind === "settleTwice") expect(policy.settle(call, verdict)).toBe("done");
        }
        let sent = 0;
        for (let n = 0; n < 20; n++) {
          now += 61;
          clock.seconds = now;
          const call = new CallRecord();
          if (policy.admit(call) !== "send") continue;
          sent++;
          policy.settle(call, "accepted");
        }
        expect(sent).toBeGreaterThanOrEqual(18);
      }),
    );
  });

  it("refuses nothing for 10,000 healthy calls, also when 100 are under way at once and after days of idleness", () => {
    const clock = new ManualClock();
    const policy = make(preset, clock);
    for (let round = 0; round < 100; round++) {
      const calls = Array.from({ length: 100 }, () => new CallRecord());
      expect(calls.filter((call) => policy.admit(call) !== "send")).toEqual([]);
      clock.seconds += 1;
      for (const call of calls) policy.settle(call, "accepted");
      if (round % 10 === 0) clock.seconds += 864_000;
    }
  });

  it("sends one probe at most of 100 concurrent calls after an outage, and all of the next 100 once it succeeded", () => {
    const clock = new ManualClock();
    const policy = make(preset, clock);
    const admitAtOnce = () =>
      Array.from({ length: 100 }, () => new CallRecord()).filter((call) => policy.admit(call) === "send");
    for (const call of admitAtOnce()) policy.settle(call, "overloaded");
    clock.seconds += 0.5;
    const duringOutage = admitAtOnce();
    for (const call of duringOutage) policy.settle(call, "overloaded");
    expect(duringOutage.length).toBe(refuses ? 0 : 100);
    clock.seconds += 120;
    const probes = admitAtOnce();
    expect(probes).toHaveLength(refuses ? (name === "resilience4j" ? 3 : 1) : 100);
    for (const probe of probes) policy.settle(probe, "accepted");
    expect(admitAtOnce()).toHaveLength(100);
  });

  it("frees the place of a probe whose caller left", () => {
    const clock = new ManualClock();
    const policy = make(preset, clock);
    const admit = () => {
      const call = new CallRecord();
      return policy.admit(call) === "send" ? call : undefined;
    };
    for (let n = 0; n < 100; n++) {
      const call = admit();
      if (call !== undefined) policy.settle(call, "overloaded");
    }
    clock.seconds += 120;
    let sent = 0;
    for (let n = 0; n < 100; n++) {
      const probe = admit();
      if (probe === undefined) continue;
      sent++;
      policy.abandon?.(probe);
    }
    expect(sent).toBe(100);
  });
});
