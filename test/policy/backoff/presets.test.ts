import { describe, expect, it } from "vitest";
import { backoffPresets } from "../../../src/policy/backoff/presets.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import type { AttemptVerdict } from "../../../src/policy/policy.ts";
import type { PolicyPreset } from "../../../src/policy/preset.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";

const named = (name: string): PolicyPreset => {
  const preset = backoffPresets.find((candidate) => candidate.name === name);
  if (preset === undefined) throw new Error(`no preset ${name}`);
  return preset;
};

function build(name: string, given: Record<string, unknown>, jitter: ScriptedRandom, random = new ScriptedRandom()) {
  const { preset, own } = resolvePreset(named(name), given);
  return preset.create(own)(new ManualClock(), random, jitter);
}

/** The delays of a call whose attempts are all overloaded. */
function delaysOf(name: string, given: Record<string, unknown>, draws: readonly number[]): number[] {
  const jitter = new ScriptedRandom(...draws);
  const policy = build(name, given, jitter);
  const call = new CallRecord();
  const delays: number[] = [];
  for (;;) {
    call.prepareAdmission(1);
    expect(policy.admit(call)).toBe("send");
    call.delaySeconds = 0;
    if (policy.settle(call, "overloaded") !== "retry") return delays;
    delays.push(call.delaySeconds);
    call.attempt += 1;
  }
}

describe("backoffPresets", () => {
  it.each([
    ["backoff", { base: 0.1, cap: 20, maxAttempts: 3 }],
    ["backoff-full", { base: 0.1, cap: 20, maxAttempts: 3 }],
    ["backoff-equal", { base: 0.1, cap: 20, maxAttempts: 3 }],
    ["backoff-decorrelated", { base: 0.1, cap: 20, maxAttempts: 3 }],
    ["backoff-v2", { base: 0.128, cap: 30, maxAttempts: 4 }],
  ])("%s has its source's defaults", (name, options) => {
    expect(resolvePreset(named(name)).options).toEqual(options);
  });

  const given = { base: 0.125, cap: 3, maxAttempts: 6 };
  it.each([
    ["backoff", [], [0.125, 0.25, 0.5, 1, 2]],
    ["backoff-full", [0.5, 0.25, 0, 0.75, 0.5], [0.0625, 0.0625, 0, 0.75, 1]],
    ["backoff-equal", [0.5, 0.25, 0, 0.75, 0.5], [0.09375, 0.15625, 0.25, 0.875, 1.5]],
    ["backoff-decorrelated", [0.5, 0.5, 0.5, 0, 0.5], [0.25, 0.4375, 0.71875, 0.125, 0.25]],
  ])("%s waits before each retry, and gives up after maxAttempts", (name, draws, delays) => {
    expect(delaysOf(name, given, draws)).toEqual(delays);
  });

  it("backoff-v2 follows the sources from retry to retry of one call", () => {
    const delays = delaysOf("backoff-v2", { base: 1.4, cap: 30, maxAttempts: 5 }, [0.5]);
    expect(delays.map((delay) => Number(delay.toFixed(6)))).toEqual([1.256367, 1.530205, 2.850047, 5.664371]);
  });

  it.each(backoffPresets)("$name retries overloads alone, and draws from the jitter alone", (preset) => {
    const random = new ScriptedRandom();
    const policy = build(preset.name, { maxAttempts: 2 }, new ScriptedRandom(0.5), random);
    const stepsOf = (call: CallRecord, verdict: AttemptVerdict) => [policy.admit(call), policy.settle(call, verdict)];
    expect(stepsOf(new CallRecord(), "accepted")).toEqual(["send", "done"]);
    expect(stepsOf(new CallRecord(), "failed")).toEqual(["send", "done"]);
    const call = new CallRecord();
    expect(stepsOf(call, "overloaded")).toEqual(["send", "retry"]);
    call.attempt = 1;
    expect(stepsOf(call, "overloaded")).toEqual(["send", "done"]);
    expect(random.draws).toBe(0);
  });

  it("calls that overlap have their own delays, and a reused record starts anew", () => {
    const policy = build("backoff-decorrelated", given, new ScriptedRandom(0.5));
    const [one, other] = [new CallRecord(), new CallRecord()];
    const settle = (call: CallRecord, attempt: number) => {
      call.attempt = attempt;
      policy.admit(call);
      policy.settle(call, "overloaded");
      return call.delaySeconds;
    };
    expect([settle(one, 0), settle(other, 0), settle(one, 1), settle(one, 2)]).toEqual([0.25, 0.25, 0.4375, 0.71875]);
    expect([settle(other, 1), settle(one, 0), settle(one, 1)]).toEqual([0.4375, 0.25, 0.4375]);
  });

  it.each(backoffPresets)("$name describes itself in lines of 10 to 200 characters without a full stop", (preset) => {
    for (const line of [preset.summary, preset.use, preset.fails, preset.source]) {
      expect(line).toMatch(/^[^\n]{9,199}[^.\n]$/);
    }
  });
});
