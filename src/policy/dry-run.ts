/** A few calls through a policy that nobody has tried yet, before anything is measured with it. */

import { CallRecord } from "./call-record.ts";
import { guardedPreset, PolicyFault } from "./guarded-policy.ts";
import type { AttemptVerdict, Clock, Fault, Policy, Random } from "./policy.ts";
import type { PolicyPreset, PresetOptions } from "./preset.ts";

const CALLS = 12;
/** Between two calls. */
const STEP_SECONDS = 0.25;
/** The call of this number is abandoned while its first attempt is under way. */
const ABANDONED = 5;
/** Of one call: attempts, and admissions that were waits. A policy may go on; what is to be seen has been seen. */
const STEPS_MAX = 100;

interface Answer {
  readonly verdict: AttemptVerdict;
  readonly status: number;
  readonly fault: Fault;
}

/** Attempts end like this in turn: each way there is, and overloads enough for a policy to do something about them. */
const ANSWERS: readonly Answer[] = [
  { verdict: "accepted", status: 200, fault: "none" },
  { verdict: "overloaded", status: 503, fault: "none" },
  { verdict: "overloaded", status: 0, fault: "timeout" },
  { verdict: "failed", status: 0, fault: "other" },
  { verdict: "overloaded", status: 429, fault: "none" },
];

/**
 * Makes two users' policies, and calls through them in turn.
 *
 * @throws {PolicyFault} what broke the contract first, in one line.
 */
export function dryRun(preset: PolicyPreset, options: PresetOptions): void {
  const fail = (why: string): never => {
    throw new PolicyFault(why);
  };
  const clock = new SteppedClock();
  const factory = guardedPreset(preset, fail).create(options);
  const users = [0, 1].map(() => factory(clock, new Alternating(), new Alternating()));
  let answers = 0;
  for (let number = 0; number < CALLS; number++) {
    clock.seconds += STEP_SECONDS;
    try {
      answers += callOnce(users[number % 2] as Policy, number, clock, answers);
    } catch (error) {
      if (error instanceof PolicyFault) throw error;
      throw new PolicyFault(
        `it must leave the call's record as it is, but for the fields that are its own: ${String(error)}`,
      );
    }
  }
}

/** @returns how many attempts were answered. */
function callOnce(policy: Policy, number: number, clock: SteppedClock, from: number): number {
  const call = new CallRecord();
  call.intendedSeconds = clock.seconds;
  let answered = 0;
  for (let step = 0; step < STEPS_MAX; step++) {
    call.prepareAdmission(1);
    const admission = policy.admit(call);
    if (admission === "wait") {
      clock.seconds += call.delaySeconds;
      continue;
    }
    if (admission !== "send") return answered;
    if (number === ABANDONED) break;
    const { verdict, status, fault } = ANSWERS[(from + answered) % ANSWERS.length] as Answer;
    answered += 1;
    clock.seconds += STEP_SECONDS / 8;
    Object.assign(call, { status, fault, delaySeconds: 0, lastAttempt: call.attempt });
    if (policy.settle(call, verdict) !== "retry") return answered;
    clock.seconds += call.delaySeconds;
    call.attempt += 1;
  }
  policy.abandon?.(call);
  return answered;
}

class SteppedClock implements Clock {
  seconds = 1;
  now(): number {
    return this.seconds;
  }
}

/** High, low, high: a policy that asks chance is to be seen both ways. */
class Alternating implements Random {
  private isHigh = false;
  random(): number {
    this.isHigh = !this.isHigh;
    return this.isHigh ? 0.875 : 0.125;
  }
}
