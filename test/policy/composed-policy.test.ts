import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallRecord } from "../../src/policy/call-record.ts";
import { ComposedPolicy, type PolicyParts, plainEvidence } from "../../src/policy/composed-policy.ts";
import { DENIED, REFUSED } from "../../src/policy/parts.ts";
import type { AttemptVerdict } from "../../src/policy/policy.ts";
import { ManualClock, ScriptedRandom } from "./fakes.ts";

/** Parts that write down what they are asked and told, and keep count of what is out. */
class Book {
  readonly lines: string[] = [];
  readonly out = { tickets: 0, places: 0, throttle: 0, calls: 0, retries: 0 };
  open = false;
  throttles = false;
  waitSeconds = 0;
  full = false;
  denies = false;

  readonly parts: PolicyParts = {
    maxAttempts: 3,
    breaker: {
      enter: () => {
        this.lines.push("enter");
        if (this.open) return REFUSED;
        this.out.tickets += 1;
        return 7;
      },
      leave: (ticket, evidence, tookSeconds) => {
        this.lines.push(`leave ${ticket} ${evidence} ${tookSeconds}`);
        this.out.tickets -= 1;
      },
    },
    throttle: {
      admit: () => {
        this.lines.push("throttle?");
        if (this.throttles) return false;
        this.out.throttle += 1;
        return true;
      },
      settle: (_call, verdict) => {
        this.lines.push(`throttle ${verdict}`);
        this.out.throttle -= 1;
      },
      abandon: () => {
        this.lines.push("throttle abandoned");
        this.out.throttle -= 1;
      },
      rejectProbability: () => 0,
    },
    pacer: {
      acquire: () => {
        this.lines.push("pacer?");
        return this.waitSeconds;
      },
      settle: (_call, verdict) => {
        this.lines.push(`pacer ${verdict}`);
      },
    },
    limiter: {
      limit: 1,
      acquire: () => {
        this.lines.push("limiter?");
        if (this.full) return 0;
        this.out.places += 1;
        return 5;
      },
      release: (inFlight, tookSeconds, evidence) => {
        this.lines.push(`release ${inFlight} ${tookSeconds} ${evidence}`);
        this.out.places -= 1;
      },
    },
    budget: {
      callStarted: () => {
        this.lines.push("call started");
        this.out.calls += 1;
      },
      attemptEnded: (_call, verdict, held) => {
        this.lines.push(`budget ${verdict} ${held}`);
      },
      withdraw: () => {
        this.lines.push("withdraw?");
        if (this.denies) return DENIED;
        this.out.retries += 1;
        return 5;
      },
      retryEnded: (held) => {
        this.lines.push(`retry ended ${held}`);
        this.out.retries -= 1;
      },
      callEnded: () => {
        this.lines.push("call ended");
        this.out.calls -= 1;
      },
    },
    backoff: { delaySeconds: (retry, previousSeconds) => 0.25 * (retry + 1) + previousSeconds },
  };

  takeLines(): string[] {
    return this.lines.splice(0);
  }
}

function setUp(change: Partial<PolicyParts> = {}) {
  const clock = new ManualClock(100);
  const book = new Book();
  const policy = new ComposedPolicy(clock, new ScriptedRandom(0.5), { ...book.parts, ...change });
  return { clock, book, policy, call: new CallRecord() };
}

const NOTHING_OUT = { tickets: 0, places: 0, throttle: 0, calls: 0, retries: 0 };

describe("ComposedPolicy", () => {
  it("asks breaker, throttle, pacer and limiter in this order, and tells each how the attempt ended", () => {
    const { clock, book, policy, call } = setUp();
    expect(policy.admit(call)).toBe("send");
    expect(book.takeLines()).toEqual(["call started", "enter", "throttle?", "pacer?", "limiter?"]);
    clock.seconds += 0.5;
    expect(policy.settle(call, "accepted")).toBe("done");
    expect(book.takeLines()).toEqual([
      "release 5 0.5 success",
      "leave 7 success 0.5",
      "pacer accepted",
      "throttle accepted",
      "budget accepted 0",
      "call ended",
    ]);
    expect(book.out).toEqual(NOTHING_OUT);
  });

  it("withdraws a retry before its backoff, passes all parts again, and ends after maxAttempts", () => {
    const { book, policy, call } = setUp();
    policy.admit(call);
    const delays: number[] = [];
    for (; call.attempt < 2; call.attempt += 1) {
      expect(policy.settle(call, "overloaded")).toBe("retry");
      delays.push(call.delaySeconds);
      book.takeLines();
      call.prepareAdmission(1);
      expect(policy.admit({ ...call, attempt: call.attempt + 1 } as CallRecord)).toBe("send");
      expect(book.takeLines()).toEqual(["enter", "throttle?", "pacer?", "limiter?"]);
    }
    expect(delays).toEqual([0.25, 0.75]);
    expect(policy.settle(call, "overloaded")).toBe("done");
    expect(book.lines.slice(-3)).toEqual(["budget overloaded 5", "retry ended 5", "call ended"]);
    expect(book.out).toEqual(NOTHING_OUT);
  });

  it.each([
    ["open", "broken", ["call started", "enter", "call ended"]],
    ["throttles", "throttled", ["call started", "enter", "throttle?", "leave 7 ignored 0", "call ended"]],
    [
      "full",
      "limited",
      [
        "call started",
        "enter",
        "throttle?",
        "pacer?",
        "limiter?",
        "throttle abandoned",
        "leave 7 ignored 0",
        "call ended",
      ],
    ],
  ] as const)("gives back what it took, without evidence, when a part is %s: %s", (flaw, outcome, lines) => {
    const { book, policy, call } = setUp();
    book[flaw] = true;
    expect(policy.admit(call)).toBe(outcome);
    expect(book.takeLines()).toEqual(lines);
    expect(book.out).toEqual(NOTHING_OUT);
    // Nothing is under way: a result that arrives all the same changes nothing.
    expect(policy.settle(call, "overloaded")).toBe("done");
    expect(book.takeLines()).toEqual([]);
  });

  it.each([
    [undefined, "budget"],
    ["broken", "broken"],
  ] as const)("ends a call whose retry is denied with the outcome that the parts say (%s): %s", (denial, outcome) => {
    const { book, policy, call } = setUp({ denial });
    book.denies = true;
    policy.admit(call);
    expect(policy.settle(call, "overloaded")).toBe(outcome);
    expect(book.out).toEqual(NOTHING_OUT);
  });

  it("waits for the pacer with its breaker's ticket, and asks only pacer and limiter again", () => {
    const { book, policy, call } = setUp();
    book.waitSeconds = 0.125;
    expect(policy.admit(call)).toBe("wait");
    expect(call.delaySeconds).toBe(0.125);
    expect(book.out).toMatchObject({ tickets: 1, places: 0 });
    book.takeLines();
    expect(policy.admit(call)).toBe("wait");
    book.waitSeconds = 0;
    expect(policy.admit(call)).toBe("send");
    expect(book.takeLines()).toEqual(["pacer?", "pacer?", "limiter?"]);
  });

  it("ignores an attempt that ends twice, and one that ends after it was abandoned", () => {
    const { book, policy, call } = setUp();
    policy.admit(call);
    policy.settle(call, "accepted");
    expect(policy.settle(call, "overloaded")).toBe("done");
    policy.abandon(call);
    policy.admit(call);
    policy.abandon(call);
    expect(policy.settle(call, "overloaded")).toBe("done");
    expect(book.out).toEqual(NOTHING_OUT);
  });

  it("learns nothing from an abandoned attempt", () => {
    const { book, policy, call } = setUp();
    policy.admit(call);
    book.takeLines();
    policy.abandon(call);
    expect(book.takeLines()).toEqual(["release 5 0 ignored", "leave 7 ignored 0", "throttle abandoned", "call ended"]);
  });

  it.each([
    ["accepted", "none", "success"],
    ["overloaded", "none", "failure"],
    ["overloaded", "timeout", "failure"],
    ["failed", "other", "failure"],
    ["failed", "client", "ignored"],
    ["failed", "stale", "ignored"],
  ] as const)("takes %s with the fault %s for evidence of %s", (verdict, fault, evidence) => {
    const call = new CallRecord();
    call.fault = fault;
    expect(plainEvidence(call, verdict)).toBe(evidence);
  });

  it("releases everything once, whatever becomes of its calls, with clocks that jump and records that are reused", () => {
    const verdicts: readonly AttemptVerdict[] = ["accepted", "overloaded", "failed"];
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 999 }), { maxLength: 200 }), (choices) => {
        const { clock, book, policy } = setUp();
        const records = [0, 1, 2, 3].map(() => new CallRecord());
        const stages = records.map(() => "idle");
        for (const choice of choices) {
          const index = choice % 4;
          const call = records[index] as CallRecord;
          clock.seconds += ((choice % 7) - 3) * 1200;
          Object.assign(book, {
            open: choice % 11 === 0,
            throttles: choice % 5 === 0,
            full: choice % 6 === 0,
            denies: choice % 9 === 0,
            waitSeconds: choice % 8 === 0 ? 1 : 0,
          });
          if (stages[index] === "sent" && choice % 13 > 1) {
            const step = policy.settle(call, verdicts[choice % 3] as AttemptVerdict);
            stages[index] = step === "retry" ? "ready" : "idle";
            call.attempt = step === "retry" ? call.attempt + 1 : 0;
          } else if (stages[index] === "sent" || (stages[index] === "ready" && choice % 13 < 2)) {
            policy.abandon(call);
            stages[index] = "idle";
            call.attempt = 0;
          } else {
            const admission = policy.admit(call);
            stages[index] = admission === "send" ? "sent" : admission === "wait" ? "ready" : "idle";
            if (stages[index] === "idle") call.attempt = 0;
          }
        }
        for (const [index, call] of records.entries()) if (stages[index] !== "idle") policy.abandon(call);
        expect(book.out).toEqual(NOTHING_OUT);
      }),
    );
  });
});
