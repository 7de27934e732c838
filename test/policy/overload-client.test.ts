import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OverloadClient } from "../../src/policy/overload-client.ts";
import type { AttemptVerdict } from "../../src/policy/policy.ts";
import { attemptNumber, ManualClock, ScriptedRandom } from "./fakes.ts";

const first = attemptNumber(0);

function counts(client: OverloadClient) {
  return { requests: client.requests(), accepts: client.accepts(), retries: client.retries() };
}

/** The rule of the class comment on lists of times, nothing dropped ever. */
class NaiveClient {
  private readonly attempts: { second: number; retry: boolean }[] = [];
  private readonly acceptSeconds: number[] = [];
  private readonly options: { k: number; window: number; retryRatio: number; maxAttempts: number };

  constructor(options: { k: number; window: number; retryRatio: number; maxAttempts: number }) {
    this.options = options;
  }

  counts(now: number) {
    const isLive = (second: number) => second > Math.floor(now) - this.options.window;
    const live = this.attempts.filter((attempt) => isLive(attempt.second));
    return {
      requests: live.length,
      accepts: this.acceptSeconds.filter(isLive).length,
      retries: live.filter((attempt) => attempt.retry).length,
    };
  }

  p(now: number): number {
    const { requests, accepts } = this.counts(now);
    return Math.max(0, (requests - this.options.k * accepts) / (requests + 1));
  }

  admit(now: number, attempt: number, u: number): string {
    const { requests, retries } = this.counts(now);
    if (attempt > 0 && !(retries < this.options.retryRatio * requests)) return "budget";
    const p = this.p(now);
    this.attempts.push({ second: Math.floor(now), retry: attempt > 0 });
    return u < p ? "throttled" : "send";
  }

  settle(now: number, attempt: number, verdict: AttemptVerdict): string {
    if (verdict === "accepted") this.acceptSeconds.push(Math.floor(now));
    return verdict === "overloaded" && attempt + 1 < this.options.maxAttempts ? "retry" : "done";
  }
}

const binaryFractions = (max: number) => fc.integer({ min: 0, max: max * 64 }).map((n) => n / 64);
const optionSets = fc.record({
  k: fc.constantFrom(1, 1.1, 1.5, 2, 3),
  window: fc.constantFrom(1, 1.5, 5, 10, 120),
  retryRatio: fc.constantFrom(0, 0.1, 0.5, 2),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
});
const plannedCalls = fc.record({
  advance: fc.oneof(fc.constant(0), binaryFractions(1), binaryFractions(30)),
  takes: fc.oneof(fc.constant(0), binaryFractions(3)),
  verdicts: fc.array(fc.constantFrom<AttemptVerdict>("accepted", "overloaded", "failed"), {
    minLength: 4,
    maxLength: 4,
  }),
  draws: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 4, maxLength: 4 }),
});

describe("OverloadClient.admit()", () => {
  it("follows the rule written naively, on any clock that runs forwards", () => {
    fc.assert(
      fc.property(
        optionSets,
        fc.constantFrom(0, 1_700_000_000.75),
        fc.array(plannedCalls, { maxLength: 60 }),
        (options, start, calls) => {
          const clock = new ManualClock(start);
          const random = new ScriptedRandom(...calls.flatMap((call) => call.draws), 0.5);
          const client = new OverloadClient(clock, random, options);
          const naive = new NaiveClient(options);
          for (const planned of calls) {
            clock.seconds += planned.advance;
            for (let attempt = 0; ; attempt++) {
              const u = random.numbers[random.draws] ?? 0.5;
              const expected = naive.admit(clock.now(), attempt, u);
              expect(client.admit(attemptNumber(attempt))).toBe(expected);
              if (expected !== "send") break;
              clock.seconds += planned.takes;
              const verdict = planned.verdicts[attempt]!;
              const next = naive.settle(clock.now(), attempt, verdict);
              expect(client.settle(attemptNumber(attempt), verdict)).toBe(next);
              if (next === "done") break;
            }
            expect(counts(client)).toEqual(naive.counts(clock.now()));
            expect(client.rejectProbability()).toBe(naive.p(clock.now()));
          }
        },
      ),
    );
  });

  it("never throttles while accepts are at least requests / K", () => {
    const clock = new ManualClock(-0.125);
    const client = new OverloadClient(clock, new ScriptedRandom(0), { k: 2, window: 10 });
    for (let n = 0; n < 1000; n++) {
      clock.seconds += 0.125;
      expect(client.admit(first)).toBe("send");
      if (n % 2 === 0) client.settle(first, "accepted");
      expect(client.accepts() * 2 >= client.requests()).toBe(true);
    }
    clock.seconds += 0.125;
    client.admit(first);
    expect(client.accepts() * 2 < client.requests()).toBe(true);
    expect(client.admit(first)).toBe("throttled");
  });

  it("draws exactly one number per attempt, also when p is 0, and none for the budget", () => {
    const random = new ScriptedRandom(0.99);
    const client = new OverloadClient(new ManualClock(), random, { retryRatio: 0 });
    expect(client.rejectProbability()).toBe(0);
    client.admit(first);
    expect(random.draws).toBe(1);
    expect(client.admit(attemptNumber(1))).toBe("budget");
    expect(random.draws).toBe(1);
    expect(counts(client)).toEqual({ requests: 1, accepts: 0, retries: 0 });
  });

  it.each([
    [0.5, "send"],
    [0.49999, "throttled"],
  ])("with one request and no accept p is 1/2: u = %f gives %s, and either counts as a request", (u, admission) => {
    const client = new OverloadClient(new ManualClock(), new ScriptedRandom(0, u));
    expect(client.admit(first)).toBe("send");
    expect(client.rejectProbability()).toBe(0.5);
    expect(client.admit(first)).toBe(admission);
    expect(client.requests()).toBe(2);
  });

  it("denies a retry once retries are retryRatio x requests, the comparison being strict", () => {
    const client = new OverloadClient(new ManualClock(), new ScriptedRandom(0.999999), { retryRatio: 0.25 });
    client.admit(first);
    expect(client.admit(attemptNumber(1))).toBe("send");
    expect(client.admit(attemptNumber(1))).toBe("budget");
    client.admit(first);
    client.admit(first);
    expect(counts(client)).toEqual({ requests: 4, accepts: 0, retries: 1 });
    expect(client.admit(attemptNumber(1))).toBe("budget");
    client.admit(first);
    expect(client.admit(attemptNumber(1))).toBe("send");
  });

  it("counts a throttled retry as a request and as a retry", () => {
    const client = new OverloadClient(new ManualClock(), new ScriptedRandom(0.9, 0.1));
    client.admit(first);
    expect(client.settle(first, "overloaded")).toBe("retry");
    expect(client.admit(attemptNumber(1))).toBe("throttled");
    expect(counts(client)).toEqual({ requests: 2, accepts: 0, retries: 1 });
  });

  it("clamps p to 0 when the accepts of old requests outnumber the requests in the window", () => {
    const clock = new ManualClock(0);
    const client = new OverloadClient(clock, new ScriptedRandom(0), { window: 2 });
    client.admit(first);
    clock.seconds = 1;
    client.settle(first, "accepted");
    clock.seconds = 2;
    expect(counts(client)).toEqual({ requests: 0, accepts: 1, retries: 0 });
    expect(client.rejectProbability()).toBe(0);
  });
});

describe("OverloadClient.settle()", () => {
  it("counts an accept in the second of the answer, not of the request", () => {
    const clock = new ManualClock(0.5);
    const client = new OverloadClient(clock, new ScriptedRandom(0), { window: 5 });
    client.admit(first);
    clock.seconds = 3.5;
    client.settle(first, "accepted");
    clock.seconds = 5;
    expect(counts(client)).toEqual({ requests: 0, accepts: 1, retries: 0 });
    clock.seconds = 8;
    expect(client.accepts()).toBe(0);
  });

  it.each([
    ["accepted", 0, "done", 1],
    ["overloaded", 0, "retry", 0],
    ["overloaded", 1, "retry", 0],
    ["overloaded", 2, "done", 0],
    ["failed", 0, "done", 0],
  ] as const)("after %s of attempt %i of 3 the call is to %s", (verdict, attempt, next, accepts) => {
    const client = new OverloadClient(new ManualClock(), new ScriptedRandom(0));
    expect(client.settle(attemptNumber(attempt), verdict)).toBe(next);
    expect(client.accepts()).toBe(accepts);
  });
});

describe("OverloadClient's clock", () => {
  it("may give any number: probabilities stay in [0, 1), counts are never negative, nothing throws", () => {
    const readings = fc.array(fc.tuple(fc.double(), fc.constantFrom("accepted", "overloaded", "failed")), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(optionSets, readings, (options, steps) => {
        const clock = new ManualClock();
        const client = new OverloadClient(clock, new ScriptedRandom(0.75), options);
        for (const [now, verdict] of steps) {
          clock.seconds = now;
          if (client.admit(first) === "send") client.settle(first, verdict as AttemptVerdict);
          const p = client.rejectProbability();
          expect(p >= 0 && p < 1).toBe(true);
          for (const count of Object.values(counts(client))) expect(count).toBeGreaterThanOrEqual(0);
        }
        clock.seconds = 1e6;
        client.requests();
        clock.seconds += 2 * Math.ceil(options.window);
        expect(counts(client)).toEqual({ requests: 0, accepts: 0, retries: 0 });
      }),
    );
  });

  it("set back by more than the window empties the window one window later", () => {
    const clock = new ManualClock(1_700_000_000.75);
    const client = new OverloadClient(clock, new ScriptedRandom(0.9), { window: 10 });
    client.admit(first);
    clock.seconds = 5;
    expect(client.requests()).toBe(1);
    clock.seconds = 14.75;
    expect(client.requests()).toBe(1);
    clock.seconds = 15;
    expect(client.requests()).toBe(0);
  });
});

describe("OverloadClient's options", () => {
  const create = (options: object) => () => new OverloadClient(new ManualClock(), new ScriptedRandom(0), options);

  it.each([
    [{ k: 0 }, "'k' must be a finite number of at least 1: current value is 0"],
    [{ k: 0.99 }, "'k' must be a finite number of at least 1: current value is 0.99"],
    [{ k: Number.NaN }, "'k' must be a finite number of at least 1: current value is NaN"],
    [{ k: Number.POSITIVE_INFINITY }, "'k' must be a finite number of at least 1: current value is Infinity"],
    [{ k: "2" }, "'k' must be a finite number of at least 1: current value is 2"],
    [{ k: null }, "'k' must be a finite number of at least 1: current value is null"],
    [{ window: 0.5 }, "'window' must be a finite number of seconds from 1 to 604800: current value is 0.5"],
    [{ window: 604_801 }, "'window' must be a finite number of seconds from 1 to 604800: current value is 604801"],
    [{ retryRatio: -0.1 }, "'retryRatio' must be a finite number of at least 0: current value is -0.1"],
    [{ maxAttempts: 0 }, "'maxAttempts' must be a positive integer: current value is 0"],
    [{ maxAttempts: 1.5 }, "'maxAttempts' must be a positive integer: current value is 1.5"],
  ])("%o is a RangeError that names the option, the rule and the value", (options, message) => {
    expect(create(options)).toThrow(new RangeError(`Cannot create OverloadClient as ${message}`));
    expect(create(options)).toThrow(RangeError);
  });

  it.each([
    { k: 1, window: 1, retryRatio: 0, maxAttempts: 1 },
    { k: 100, window: 604_800, retryRatio: 5, maxAttempts: 1000 },
    { window: 1.5 },
    { k: undefined, window: undefined, retryRatio: undefined, maxAttempts: undefined },
    { somethingElse: 1 },
  ])("%o is allowed", (options) => {
    expect(create(options)).not.toThrow();
  });

  it("that are missing or undefined are k 2, window 120 s, retryRatio 0.1 and 3 attempts", () => {
    for (const options of [
      undefined,
      {},
      { k: undefined, window: undefined, retryRatio: undefined, maxAttempts: undefined },
    ]) {
      const clock = new ManualClock(0.5);
      const client = new OverloadClient(clock, new ScriptedRandom(0.99), options);
      expect(client.call(() => "ok")).toBe("ok");
      expect(client.call(() => "ok")).toBe("ok");
      let sends = 0;
      const refuse = () => {
        sends++;
        return "overloaded" as const;
      };
      expect([client.call(refuse), sends]).toEqual(["budget", 2]);
      client.admit(first);
      expect(client.rejectProbability()).toBe(1 / 6);
      expect([client.settle(attemptNumber(1), "overloaded"), client.settle(attemptNumber(2), "overloaded")]).toEqual([
        "retry",
        "done",
      ]);
      clock.seconds = 119.9;
      expect(client.requests()).toBe(5);
      clock.seconds = 120;
      expect(client.requests()).toBe(0);
    }
  });
});
