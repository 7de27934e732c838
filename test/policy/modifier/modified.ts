/** Policies with modifiers, and calls through them, for tests. */

import { CallRecord } from "../../../src/policy/call-record.ts";
import { ModifiedPolicy } from "../../../src/policy/modifier/modified-policy.ts";
import { modifierRules } from "../../../src/policy/modifier/modifier-rules.ts";
import { type Modifiers, modifiersIn } from "../../../src/policy/modifier/modifiers.ts";
import type { AttemptVerdict, Fault, NextStep, Policy, Random } from "../../../src/policy/policy.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";

export interface Modified {
  readonly policy: ModifiedPolicy;
  readonly clock: ManualClock;
  readonly jitter: Random;
}

export function modify(inner: Policy, given: Partial<Modifiers>, ...draws: readonly number[]): Modified {
  const clock = new ManualClock();
  const jitter = new ScriptedRandom(...draws);
  const policy = new ModifiedPolicy(inner, clock, jitter, modifierRules(modifiersIn(given)));
  return { policy, clock, jitter };
}

/** Asks for the first attempt of a call that was to start now. */
export function admitNew({ policy, clock }: Modified, timeoutSeconds = 1024, call = new CallRecord()) {
  call.attempt = 0;
  call.intendedSeconds = clock.seconds;
  return { call, admission: admitAgain({ policy, clock }, call, timeoutSeconds) };
}

export function admitAgain({ policy }: Pick<Modified, "policy" | "clock">, call: CallRecord, timeoutSeconds = 1024) {
  call.prepareAdmission(timeoutSeconds);
  return policy.admit(call);
}

export interface Ending {
  readonly status?: number;
  readonly fault?: Fault;
  readonly headers?: readonly string[];
  readonly verdict?: AttemptVerdict;
}

/** Ends an attempt: by default with a 503. The attempt number grows when there is to be another. */
export function end({ policy }: Pick<Modified, "policy">, call: CallRecord, ending: Ending = {}): NextStep {
  call.fault = ending.fault ?? "none";
  call.status = ending.status ?? (call.fault === "none" ? 503 : 0);
  call.answerHeaders = ending.headers;
  call.delaySeconds = 0;
  const step = policy.settle(call, ending.verdict ?? "overloaded");
  if (step === "retry") call.attempt += 1;
  return step;
}
