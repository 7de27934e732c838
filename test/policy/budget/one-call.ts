/** Single calls through a policy, attempt by attempt. */

import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import type { AttemptVerdict, ClientOutcome, Fault, Policy, Random } from "../../../src/policy/policy.ts";
import type { PolicyPreset } from "../../../src/policy/preset.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";

interface Answer {
  readonly verdict: AttemptVerdict;
  readonly status: number;
  readonly fault: Fault;
}

const ANSWERS = {
  ok: { verdict: "accepted", status: 200, fault: "none" },
  unknownOk: { verdict: "accepted", status: 0, fault: "none" },
  missing: { verdict: "accepted", status: 404, fault: "none" },
  busy: { verdict: "overloaded", status: 503, fault: "none" },
  throttled: { verdict: "overloaded", status: 429, fault: "none" },
  timeout: { verdict: "overloaded", status: 0, fault: "timeout" },
  broken: { verdict: "failed", status: 0, fault: "other" },
} as const satisfies Record<string, Answer>;

/** How an attempt ends. */
export type End = keyof typeof ANSWERS;

/** What a driver does before it asks `settle`. */
export function answer(call: CallRecord, end: End): AttemptVerdict {
  const { verdict, status, fault } = ANSWERS[end];
  call.status = status;
  call.fault = fault;
  call.delaySeconds = 0;
  call.lastAttempt = Math.max(call.lastAttempt, call.attempt);
  return verdict;
}

export interface CallEnd {
  readonly outcome: ClientOutcome;
  readonly attempts: number;
  /** Backoff before each retry. */
  readonly delays: readonly number[];
}

/** Makes one call whose attempts end as `ends` says, the last of them for ever, with no time in between. */
export function callOnce(policy: Policy, ...ends: readonly End[]): CallEnd {
  const call = new CallRecord();
  const delays: number[] = [];
  for (;;) {
    call.prepareAdmission(Number.POSITIVE_INFINITY);
    const admission = policy.admit(call);
    if (admission === "wait") throw new Error("no budget waits");
    if (admission !== "send") return { outcome: admission, attempts: call.attempt, delays };
    const verdict = answer(call, ends[Math.min(call.attempt, ends.length - 1)] ?? "ok");
    const next = policy.settle(call, verdict);
    const attempts = call.attempt + 1;
    if (next === "done") return { outcome: verdict === "accepted" ? "ok" : "failed", attempts, delays };
    if (next !== "retry") return { outcome: next, attempts, delays };
    delays.push(call.delaySeconds);
    call.attempt += 1;
  }
}

/** The retries that pass when everything fails from now on. For a policy of many attempts a call. */
export function retriesLeft(policy: Policy): number {
  const { outcome, attempts } = callOnce(policy, "busy");
  if (outcome !== "budget") throw new Error(`the budget did not end the call: ${outcome} after ${attempts}`);
  return attempts - 1;
}

/** Starts `count` calls whose first attempts are all under way. */
export function startCalls(policy: Policy, count: number): CallRecord[] {
  return Array.from({ length: count }, () => {
    const call = new CallRecord();
    call.prepareAdmission(Number.POSITIVE_INFINITY);
    if (policy.admit(call) !== "send") throw new Error("the policy refused a first attempt");
    return call;
  });
}

/** One client of a preset, with a clock to set. */
export function client(
  preset: PolicyPreset,
  options: Readonly<Record<string, number>> = {},
  jitter: Random = new ScriptedRandom(0.5),
): { readonly policy: Policy; readonly clock: ManualClock } {
  const clock = new ManualClock();
  const resolved = resolvePreset(preset, options);
  return { policy: resolved.preset.create(resolved.own)(clock, new ScriptedRandom(0.5), jitter), clock };
}

/** @throws when the list has no such preset. */
export function named(presets: readonly PolicyPreset[], name: string): PolicyPreset {
  const preset = presets.find((candidate) => candidate.name === name);
  if (preset === undefined) throw new Error(`there is no preset ${name}`);
  return preset;
}
