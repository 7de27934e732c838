import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import { limiterPresets } from "../../../src/policy/limiter/presets.ts";
import { modifierOptions } from "../../../src/policy/modifier/modifiers.ts";
import type { Admission, Policy } from "../../../src/policy/policy.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";

function build(name: string, given = {}, clock = new ManualClock(), jitter = 0.5): Policy {
  const preset = limiterPresets.find((candidate) => candidate.name === name);
  if (preset === undefined) throw new Error(`no preset ${name}`);
  const factory = preset.create(resolvePreset(preset, given).own);
  return factory(clock, new ScriptedRandom(0.5), new ScriptedRandom(jitter));
}

/** Admits calls until one is refused. */
function admitAll(policy: Policy, most = 2000): CallRecord[] {
  const calls: CallRecord[] = [];
  while (calls.length < most) {
    const call = new CallRecord();
    if (policy.admit(call) !== "send") break;
    calls.push(call);
  }
  return calls;
}

function answer(policy: Policy, call: CallRecord, status: number): ReturnType<Policy["settle"]> {
  call.status = status;
  return policy.settle(call, status === 429 || status === 503 ? "overloaded" : "accepted");
}

describe.each(limiterPresets.map((preset) => [preset.name, preset] as const))("the preset %s", (name, preset) => {
  it("has its lines: 10 to 200 characters, no full stop", () => {
    expect(preset.family).toBe("limiter");
    for (const line of [preset.summary, preset.use, preset.fails, preset.equation, preset.source]) {
      expect(line.length).toBeGreaterThanOrEqual(10);
      expect(line.length).toBeLessThanOrEqual(200);
      expect(line).not.toMatch(/\.$|\n/);
    }
  });

  it("has no option of the name of a modifier", () => {
    expect(Object.keys(preset.options).filter((option) => Object.hasOwn(modifierOptions, option))).toEqual([]);
  });

  it("sends the first call and takes its answer", () => {
    const policy = build(name);
    const call = new CallRecord();
    expect(policy.admit(call)).toBe("send");
    expect(answer(policy, call, 200)).toBe("done");
  });
});

describe("the presets' limits", () => {
  it.each([
    ["aimd", 20],
    ["dialogue", 20],
    ["vegas", 20],
    ["gradient", 50],
    ["gradient2", 20],
    ["envoy-gradient", 3],
  ])("%s admits %i calls at the start and ends the next as limited", (name, limit) => {
    const policy = build(name);
    expect(admitAll(policy)).toHaveLength(limit);
    expect(policy.admit(new CallRecord())).toBe("limited");
  });

  it.each([
    ["aimd", { initialLimit: 40 }, 36],
    ["dialogue", {}, 18],
    ["vegas", {}, 20],
    ["gradient", {}, 49],
    ["gradient2", { minLimit: 1 }, 20],
  ])("%s with %j admits %s after a 503", (name, given, limit) => {
    const clock = new ManualClock();
    const policy = build(name, given, clock);
    const [call] = admitAll(policy, 1) as [CallRecord];
    clock.seconds = 0.25;
    answer(policy, call, 503);
    expect(admitAll(policy)).toHaveLength(limit);
  });

  it("aimd in windows is cut once by a hundred 503s of one second", () => {
    const cut = (windowed: number) => {
      const clock = new ManualClock(1);
      const policy = build("aimd", { windowed, initialLimit: 200, minLimit: 1 }, clock);
      for (let n = 0; n < 100; n++) {
        const [call] = admitAll(policy, 1) as [CallRecord];
        clock.seconds += 2 ** -6;
        answer(policy, call, 503);
      }
      return admitAll(policy).length;
    };
    expect([cut(1), cut(0)]).toEqual([180, 1]);
  });

  it.each([
    ["aimd", { maxLimit: 10 }],
    ["vegas", { initialLimit: 2000 }],
    ["gradient", { minLimit: 51 }],
    ["gradient2", { minLimit: 21 }],
    ["envoy-gradient", { minConcurrency: 2000 }],
  ])("%s refuses %j when it is chosen", (name, given) => {
    const preset = limiterPresets.find((candidate) => candidate.name === name);
    expect(() => preset?.create(resolvePreset(preset, given).own)).toThrow(RangeError);
  });
});

describe("every exit of a call releases its place", () => {
  const ends = fc.constantFrom("accepted", "overloaded", "failed", "abandoned", "twice", "late");

  it("three calls fit a limit of three after any calls that ended in any way, on any clock", () => {
    const steps = fc.array(fc.tuple(ends, fc.nat(5), fc.constantFrom(0, 0.25, -3600, 3600, Number.NaN)), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(steps, (sequence) => {
        const clock = new ManualClock();
        const policy = build("aimd", { initialLimit: 3, minLimit: 3, maxLimit: 3, maxAttempts: 2 }, clock);
        const open: CallRecord[] = [];
        const ended: CallRecord[] = [];
        const end = (call: CallRecord, how: string) => {
          if (how === "abandoned") policy.abandon?.(call);
          else if (policy.settle(call, how === "overloaded" || how === "failed" ? how : "accepted") === "retry") {
            call.attempt += 1;
            if (policy.admit(call) === "send") policy.settle(call, "accepted");
          }
          ended.push(call);
        };
        for (const [how, which, step] of sequence) {
          clock.seconds = Number.isNaN(step) ? step : (Number.isNaN(clock.seconds) ? 0 : clock.seconds) + step;
          const call = new CallRecord();
          if (policy.admit(call) === "send") open.push(call);
          const [victim] = open.splice(which, 1);
          if (victim !== undefined) end(victim, how);
          const old = ended[which];
          if (how === "twice" && old !== undefined) policy.settle(old, "accepted");
          if (how === "late" && old !== undefined) policy.abandon?.(old);
          expect(open.length).toBeLessThanOrEqual(3);
        }
        for (const call of open) end(call, "accepted");
        expect(admitAll(policy)).toHaveLength(3);
      }),
    );
  });
});

describe("aws-adaptive", () => {
  /** Offers calls, one by one, and answers with 429 beyond what the resource gives each second. */
  function sentPerSecond(provisioned: number, offered: number, seconds: number): number[] {
    const clock = new ManualClock();
    const policy = build("aws-adaptive", { maxAttempts: 1 }, clock);
    const counts = new Array<number>(seconds).fill(0);
    const waiting: { readonly call: CallRecord; readonly at: number }[] = [];
    const ask = (call: CallRecord): Admission => {
      const admission = policy.admit(call);
      if (admission === "wait") waiting.push({ call, at: clock.seconds + call.delaySeconds });
      if (admission === "send") {
        const second = Math.floor(clock.seconds);
        counts[second] = (counts[second] as number) + 1;
        answer(policy, call, (counts[second] as number) > provisioned ? 429 : 200);
      }
      return admission;
    };
    for (let n = 0; n < offered * seconds; n++) {
      clock.seconds = n / offered;
      ask(new CallRecord());
      for (const due of waiting.splice(0)) {
        if (due.at > clock.seconds || waiting.length > 10) waiting.push(due);
        else ask(due.call);
      }
      if (waiting.length > 10) for (const { call } of waiting.splice(10)) policy.abandon?.(call);
    }
    return counts;
  }

  it("sends all until one is throttled, then settles around what is provisioned", () => {
    const sent = sentPerSecond(32, 128, 64);
    expect(sent[0]).toBe(33);
    const late = sent.slice(32);
    const mean = late.reduce((sum, n) => sum + n, 0) / late.length;
    expect(mean).toBeGreaterThan(16);
    expect(mean).toBeLessThan(40);
  });

  it("makes a throttled call wait: for the backoff, then for a token", () => {
    const clock = new ManualClock();
    const policy = build("aws-adaptive", {}, clock);
    const call = new CallRecord();
    policy.admit(call);
    clock.seconds = 1;
    expect(answer(policy, call, 429)).toBe("retry");
    expect(call.delaySeconds).toBe(0.5);
    // The bucket was empty at 0 and filled at 1 per second: one token. Measured 0.8 x 1, so that the fill rate is 0.56.
    clock.seconds = 1.5;
    call.attempt = 1;
    expect(policy.admit(call)).toBe("send");
    const other = new CallRecord();
    expect(policy.admit(other)).toBe("wait");
    expect(other.delaySeconds).toBeCloseTo(1 / 0.56, 12);
    clock.seconds += other.delaySeconds;
    expect(policy.admit(other)).toBe("send");
  });

  it("stops retrying when the quota of the standard mode is spent: 100 retries of cost 5", () => {
    const clock = new ManualClock();
    const policy = build("aws-adaptive", { maxAttempts: 2, minRate: 1000 }, clock);
    const outcomes: string[] = [];
    for (let n = 0; n < 150; n++) {
      clock.seconds += 1;
      const call = new CallRecord();
      policy.admit(call);
      outcomes.push(answer(policy, call, 429));
      if (outcomes.at(-1) !== "retry") continue;
      call.attempt = 1;
      policy.admit(call);
      answer(policy, call, 429);
    }
    expect(outcomes.indexOf("budget")).toBe(100);
  });
});

describe("ratelimit-headers", () => {
  it("declares the fields that it reads, and paces calls by them", () => {
    const preset = limiterPresets.find((candidate) => candidate.name === "ratelimit-headers");
    expect(preset?.readsHeaders).toEqual(["ratelimit", "ratelimit-policy", "retry-after", "date"]);
    const clock = new ManualClock();
    const policy = build("ratelimit-headers", {}, clock);
    const call = new CallRecord();
    policy.admit(call);
    call.answerHeaders = ["ratelimit", '"default";r=3;t=8'];
    answer(policy, call, 200);
    const next = new CallRecord();
    expect([policy.admit(next), next.delaySeconds]).toEqual(["wait", 2]);
    clock.seconds = 2;
    expect(policy.admit(next)).toBe("send");
  });
});
