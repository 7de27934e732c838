/** A client with overlapping calls, on a clock whose zero lies where the test wants it; its own time is exact, in ticks. */

import { stream } from "../../src/plan/streams.ts";
import { CallRecord } from "../../src/policy/call-record.ts";
import { resolvePolicy } from "../../src/policy/catalogue.ts";
import type { AttemptVerdict, Fault, Policy } from "../../src/policy/policy.ts";
import { userPolicies } from "../../src/policy/user-policies.ts";
import { ManualClock } from "./fakes.ts";

/** A power of two: sums of ticks and whole seconds are exact, so that a shift changes no difference of times. */
const TICKS_PER_SECOND = 1024;
const TIMEOUT_SECONDS = 2;
/** However long a call waits or is retried, it ends. */
const STEPS_MAX = 20;

export interface Answer {
  readonly verdict: AttemptVerdict;
  readonly status: number;
  readonly fault: Fault;
  readonly headers?: readonly string[];
  readonly tookTicks: number;
}

/** A call, so long after the one before. */
export interface StoryCall {
  readonly gapTicks: number;
  /** Of its attempts, the last one for all further ones. */
  readonly answers: readonly Answer[];
}

interface Due {
  readonly tick: number;
  readonly order: number;
  run(): void;
}

/** @returns what the policy of one user answers, question by question. */
export function told(
  name: string,
  options: Readonly<Record<string, unknown>>,
  story: readonly StoryCall[],
  originSeconds: number,
): readonly string[] {
  const client = new ShiftedClient(name, options, originSeconds);
  let tick = 0;
  for (const { gapTicks, answers } of story) {
    tick += gapTicks;
    client.arrive(tick, answers);
  }
  client.run();
  return client.log;
}

class ShiftedClient {
  readonly log: string[] = [];
  readonly #origin: number;
  readonly #clock: ManualClock;
  readonly #make: () => Policy;
  readonly #due: Due[] = [];
  #policy: Policy | undefined;
  #order = 0;
  #tick = 0;

  constructor(name: string, options: Readonly<Record<string, unknown>>, originSeconds: number) {
    this.#origin = originSeconds;
    this.#clock = new ManualClock(originSeconds);
    const policies = userPolicies(resolvePolicy(name, options), {
      policy: (user) => stream(1, "policy", user),
      jitter: (user) => stream(1, "jitter", user),
    });
    this.#make = () => policies(0, this.#clock);
  }

  arrive(tick: number, answers: readonly Answer[]): void {
    this.#at(tick, () => {
      const call = new CallRecord();
      call.intendedSeconds = this.#clock.seconds;
      this.#admit(call, answers, 0);
    });
  }

  run(): void {
    for (;;) {
      const next = this.#due.reduce<Due | undefined>(
        (first, due) =>
          first === undefined || due.tick < first.tick || (due.tick === first.tick && due.order < first.order)
            ? due
            : first,
        undefined,
      );
      if (next === undefined) return;
      this.#due.splice(this.#due.indexOf(next), 1);
      this.#tick = next.tick;
      this.#clock.seconds = this.#origin + next.tick / TICKS_PER_SECOND;
      next.run();
    }
  }

  #admit(call: CallRecord, answers: readonly Answer[], steps: number): void {
    // As in the open loop: at the first call.
    this.#policy ??= this.#make();
    call.prepareAdmission(TIMEOUT_SECONDS);
    const admission = this.#policy.admit(call);
    const { attempt, delaySeconds, timeoutSeconds, hedgeSeconds } = call;
    this.#note(`attempt ${attempt} ${admission}`, delaySeconds, timeoutSeconds, hedgeSeconds);
    if (admission === "wait") this.#later(call, delaySeconds, answers, steps);
    else if (admission === "send") {
      const answer = answers[Math.min(attempt, answers.length - 1)] as Answer;
      this.#at(this.#tick + answer.tookTicks, () => this.#settle(call, answer, answers, steps));
    }
  }

  #settle(call: CallRecord, answer: Answer, answers: readonly Answer[], steps: number): void {
    const { verdict, status, fault, headers } = answer;
    Object.assign(call, { status, fault, answerHeaders: headers, delaySeconds: 0, lastAttempt: call.attempt });
    const step = (this.#policy as Policy).settle(call, verdict);
    this.#note(`attempt ${call.attempt} was ${verdict}: ${step}`, call.delaySeconds);
    if (step !== "retry") return;
    call.attempt += 1;
    this.#later(call, call.delaySeconds, answers, steps);
  }

  #later(call: CallRecord, seconds: number, answers: readonly Answer[], steps: number): void {
    if (steps === STEPS_MAX) {
      (this.#policy as Policy).abandon?.(call);
      return;
    }
    // Delays are no whole ticks, and may differ in their last bits.
    const ticks = Math.round(seconds * TICKS_PER_SECOND) + 1;
    this.#at(this.#tick + ticks, () => this.#admit(call, answers, steps + 1));
  }

  #at(tick: number, run: () => void): void {
    this.#order += 1;
    this.#due.push({ tick, order: this.#order, run });
  }

  #note(what: string, ...figures: readonly number[]): void {
    this.log.push(`${this.#tick}: ${what} ${figures.map((figure) => figure.toPrecision(6)).join(" ")}`);
  }
}
