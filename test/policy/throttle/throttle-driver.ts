/** What the tests of throttles have in common. */

import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import type { Throttle } from "../../../src/policy/parts.ts";
import type { AttemptVerdict, Criticality, Fault, Policy, Random } from "../../../src/policy/policy.ts";
import type { PolicyPreset } from "../../../src/policy/preset.ts";
import { throttlePresets } from "../../../src/policy/throttle/presets.ts";
import type { ManualClock } from "../fakes.ts";

/** The end of an attempt as the engine reports it by default. */
export interface End {
  readonly status: number;
  readonly fault: Fault;
  readonly verdict: AttemptVerdict;
}

export const OK: End = { status: 200, fault: "none", verdict: "accepted" };
export const REFUSED_503: End = { status: 503, fault: "none", verdict: "overloaded" };
export const TOO_MANY_429: End = { status: 429, fault: "none", verdict: "overloaded" };
export const TIMED_OUT: End = { status: 0, fault: "timeout", verdict: "overloaded" };
export const answered = (status: number): End => ({ status, fault: "none", verdict: "accepted" });

export function ended(end: End, criticality: Criticality = 1): CallRecord {
  const call = new CallRecord();
  call.status = end.status;
  call.fault = end.fault;
  call.criticality = criticality;
  return call;
}

export function settle(throttle: Throttle, end: End, nowSeconds: number, times = 1): void {
  for (let n = 0; n < times; n++) throttle.settle(ended(end), end.verdict, nowSeconds);
}

/** How many requests the window has when nothing was accepted and nothing shapes p: p = R / (R + 1). */
export function requestsOf(throttle: Throttle, nowSeconds: number): number {
  const p = throttle.rejectProbability(nowSeconds, 1);
  return Math.round(p / (1 - p));
}

export function presetNamed(name: string): PolicyPreset {
  const preset = throttlePresets.find((candidate) => candidate.name === name);
  if (preset === undefined) throw new Error(`no preset ${name}`);
  return preset;
}

/** A whole policy with the options given. */
export function policyOf(name: string, options: object, clock: ManualClock, random: Random): Policy {
  const preset = presetNamed(name);
  return preset.create(resolvePreset(preset, { ...options }).own)(clock, random, random);
}

/** Makes one call of one attempt. */
export function callOnce(policy: Policy, end: End): string {
  const call = new CallRecord();
  const admission = policy.admit(call);
  if (admission !== "send") return admission;
  call.status = end.status;
  call.fault = end.fault;
  policy.settle(call, end.verdict);
  return admission;
}

export function callTimes(policy: Policy, end: End, times: number): void {
  for (let n = 0; n < times; n++) callOnce(policy, end);
}
