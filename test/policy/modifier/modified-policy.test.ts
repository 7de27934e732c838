import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { policyPresets, resolvePolicy } from "../../../src/policy/catalogue.ts";
import type { Modifiers } from "../../../src/policy/modifier/modifiers.ts";
import type { Admission, AttemptVerdict, Fault, NextStep, Policy } from "../../../src/policy/policy.ts";
import { userPolicies } from "../../../src/policy/user-policies.ts";
import { ManualClock } from "../fakes.ts";
import { modify } from "./modified.ts";
import { StrictPolicy } from "./strict-policy.ts";

const HEADERS: readonly (readonly string[] | undefined)[] = [
  undefined,
  ["retry-after", "3"],
  ["retry-after", "soon"],
  ["retry-after", "Wed, 01 Jul 2026 00:00:05 GMT", "date", "Wed, 01 Jul 2026 00:00:00 GMT"],
  ["grpc-retry-pushback-ms", "250"],
  ["grpc-retry-pushback-ms", "-1"],
  ["grpc-retry-pushback-ms", "250", "retry-after", "1"],
];
const FAULTS: readonly Fault[] = ["none", "none", "timeout", "refused", "reset", "stale", "client", "other"];
const STATUSES = [200, 404, 429, 500, 503];
const VERDICTS: readonly AttemptVerdict[] = ["accepted", "overloaded", "overloaded", "overloaded", "failed"];
const ADMISSIONS: readonly Admission[] = ["send", "send", "send", "wait", "throttled", "broken", "limited", "budget"];
const STEPS: readonly NextStep[] = ["retry", "retry", "retry", "done", "budget"];
/** Seconds between two events: mostly little, sometimes an hour back or forth, or days of idleness. */
const STEPS_OF_TIME = [0, 0, 0.001, 0.25, 1, 5, 60, -0.5, 3600, -3600, 259_200];

const modifiers: fc.Arbitrary<Partial<Modifiers>> = fc.record({
  retryAfter: fc.constantFrom("off", "retry", "client"),
  retryAfterCap: fc.constantFrom(0, 2, 300),
  retryAfterJitter: fc.constantFrom(0, 0.2, 1),
  pushback: fc.constantFrom("off", "on"),
  backoff: fc.constantFrom("own", "none", "exponential", "full", "equal", "decorrelated", "v2"),
  reconnect: fc.constantFrom("off", "on"),
  startJitter: fc.constantFrom(0, 2),
  deadline: fc.constantFrom(0, 0.5, 10),
  deadlineHeader: fc.constantFrom("", "grpc-timeout", "x-ms"),
  attemptHeader: fc.constantFrom("", "x-attempt"),
});

/** Chooses among lists by the digits of a test case, which fast-check can shrink. */
type Choose = <T>(from: readonly T[]) => T;

const choosing = (choices: readonly number[]): Choose => {
  let next = 0;
  return (from) => from[(choices[next++ % choices.length] as number) % from.length] as never;
};

function check(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`broken: ${claim}`);
}

/** What a driver does, at random, with three records that it reuses; each end is looked at. */
class RandomDriver {
  private readonly policy: Policy;
  private readonly clock: ManualClock;
  private readonly choose: Choose;
  private readonly calls = [0, 1, 2].map(() => ({ record: new CallRecord(), phase: "idle" as string }));
  sent = 0;
  ended = 0;

  constructor(policy: Policy, clock: ManualClock, choose: Choose) {
    this.policy = policy;
    this.clock = clock;
    this.choose = choose;
  }

  step(): void {
    this.clock.seconds += this.choose(STEPS_OF_TIME);
    const call = this.choose(this.calls);
    const { record, phase } = call;
    if (phase !== "idle" && this.choose([false, false, false, true])) {
      this.policy.abandon?.(record);
      call.phase = "idle";
    } else if (phase === "sent") call.phase = this.settle(record);
    else {
      if (phase === "idle") {
        record.attempt = 0;
        record.intendedSeconds = this.clock.seconds - this.choose([0, 0, 0.25, 1]);
      }
      call.phase = this.admit(record);
    }
    if (call.phase === "idle") this.ended += 1;
  }

  abandonAll(): void {
    for (const call of this.calls) if (call.phase !== "idle") this.policy.abandon?.(call.record);
  }

  private admit(record: CallRecord): string {
    record.prepareAdmission(2);
    const admission = this.policy.admit(record);
    if (admission === "wait") {
      check(record.delaySeconds > 0 && record.delaySeconds < Number.POSITIVE_INFINITY, "a wait has a delay");
      return "waiting";
    }
    if (admission !== "send") return "idle";
    this.sent += 1;
    check(
      record.timeoutSeconds > 0 && record.timeoutSeconds <= 2,
      "an attempt has time, and no more than its driver gave",
    );
    check((record.requestHeaders?.length ?? 0) % 2 === 0, "headers are names and values in turn");
    return "sent";
  }

  private settle(record: CallRecord): string {
    record.fault = this.choose(FAULTS);
    record.status = record.fault === "none" ? this.choose(STATUSES) : 0;
    record.answerHeaders = record.fault === "none" ? this.choose(HEADERS) : undefined;
    record.delaySeconds = 0;
    const step = this.policy.settle(record, this.choose(VERDICTS));
    if (step === "retry") {
      check(record.delaySeconds >= 0 && record.delaySeconds < Number.POSITIVE_INFINITY, "a retry has a delay");
      record.attempt += 1;
      return "retrying";
    }
    // A result that arrives twice.
    if (this.choose([true, false]) && record.notes?.constructor.name === "ModifierNotes") {
      check(this.policy.settle(record, "overloaded") === "done", "a result that comes twice changes nothing");
    }
    return "idle";
  }
}

const choices = fc.array(fc.nat(1000), { minLength: 50, maxLength: 400 });

describe("ModifiedPolicy", () => {
  it("holds to the contract with the policy inside, whatever the modifiers, the answers and the clock do", () => {
    fc.assert(
      fc.property(modifiers, choices, (given, digits) => {
        const choose = choosing(digits);
        const inner = new StrictPolicy();
        inner.delaySeconds = 1.5;
        inner.nextAdmission = () => choose(ADMISSIONS);
        inner.nextStep = () => choose(STEPS);
        const { policy, clock } = modify(inner, given, 0.75, 0, 0.25, 0.5);
        const driver = new RandomDriver(policy, clock, choose);
        for (let step = 0; step < 200; step++) driver.step();
        driver.abandonAll();
        expect(inner.held).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  it("survives readings of the clock that are no numbers", () => {
    fc.assert(
      fc.property(modifiers, choices, fc.array(fc.double()), (given, digits, readings) => {
        const choose = choosing(digits);
        const inner = new StrictPolicy();
        inner.nextStep = () => choose(STEPS);
        const { policy, clock } = modify(inner, given, 0.5);
        const driver = new RandomDriver(policy, clock, choose);
        for (const reading of [...readings, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
          clock.seconds = reading;
          const call = new CallRecord();
          call.prepareAdmission(2);
          if (policy.admit(call) === "send") {
            Object.assign(call, { status: 503, answerHeaders: ["retry-after", "3"], fault: choose(FAULTS) });
            policy.settle(call, "overloaded");
          }
          policy.abandon(call);
        }
        clock.seconds = 1e6;
        for (let step = 0; step < 50; step++) driver.step();
        driver.abandonAll();
        expect(inner.held).toBe(0);
      }),
    );
  });

  it("a copy of a hedged call, with a record of its own, is a call of its own", () => {
    const inner = new StrictPolicy();
    const { policy } = modify(inner, { retryAfter: "client", deadline: 10 }, 0);
    const [first, copy] = [new CallRecord(), new CallRecord()];
    copy.attempt = 1;
    for (const record of [first, copy]) {
      record.prepareAdmission(2);
      expect(policy.admit(record)).toBe("send");
    }
    Object.assign(first, { status: 503, answerHeaders: ["retry-after", "3"] });
    expect(policy.settle(first, "overloaded")).toBe("done");
    policy.abandon(copy);
    expect(inner.held).toBe(0);
    copy.attempt = 2;
    copy.prepareAdmission(2);
    expect(policy.admit(copy)).toBe("throttled");
  });

  it("a call that holds nothing is not abandoned to the policy, and neither is it when the policy has no abandon", () => {
    const inner = new StrictPolicy();
    const { policy } = modify(inner, { startJitter: 1 }, 0.5);
    policy.abandon(new CallRecord());
    expect(inner.log).toEqual([]);
    const bare = modify({ admit: () => "send", settle: () => "retry" }, { deadline: 1 });
    const call = new CallRecord();
    call.prepareAdmission(2);
    bare.policy.admit(call);
    expect(() => bare.policy.abandon(call)).not.toThrow();
  });
});

const GIVEN: Readonly<Record<string, Record<string, unknown>>> = {
  "retryAfter=retry": { retryAfter: "retry" },
  "retryAfter=client": { retryAfter: "client", retryAfterJitter: 1, retryAfterCap: 2 },
  pushback: { pushback: "on" },
  "backoff=none": { backoff: "none" },
  "backoff=exponential": { backoff: "exponential", backoffBase: "10ms" },
  "backoff=full": { backoff: "full" },
  "backoff=equal": { backoff: "equal" },
  "backoff=decorrelated": { backoff: "decorrelated", backoffCap: 1 },
  "backoff=v2": { backoff: "v2" },
  reconnect: { reconnect: "on" },
  startJitter: { startJitter: "2s" },
  deadline: { deadline: "500ms" },
  deadlineHeader: { deadlineHeader: "grpc-timeout" },
  attemptHeader: { attemptHeader: "x-attempt" },
  everything: {
    scope: "process",
    retryAfter: "client",
    pushback: "on",
    backoff: "full",
    reconnect: "on",
    startJitter: 1,
    deadline: 5,
    deadlineHeader: "x-ms",
    attemptHeader: "x-attempt",
  },
};

describe.each(Object.entries(GIVEN))("%s", (_, given) => {
  it.each(policyPresets)("goes with $name: it sends, ends its calls, and never breaks its promises", ({ name }) => {
    let sent = 0;
    let ended = 0;
    fc.assert(
      fc.property(choices, fc.integer(), (digits, seed) => {
        const clock = new ManualClock();
        let state = seed >>> 0;
        const random = () => ({
          random: () => {
            state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
            return state / 2 ** 32;
          },
        });
        const make = userPolicies(resolvePolicy(name, given), { policy: random, jitter: random });
        const drivers = [0, 1].map((user) => new RandomDriver(make(user, clock), clock, choosing(digits.slice(user))));
        for (let step = 0; step < 150; step++) for (const driver of drivers) driver.step();
        for (const driver of drivers) {
          driver.abandonAll();
          sent += driver.sent;
          ended += driver.ended;
        }
      }),
      { numRuns: 10 },
    );
    expect(sent).toBeGreaterThan(0);
    expect(ended).toBeGreaterThan(0);
  });
});
