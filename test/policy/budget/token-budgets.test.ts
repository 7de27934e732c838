import { describe, expect, it } from "vitest";
import { budgetPresets } from "../../../src/policy/budget/presets.ts";
import { ScriptedRandom } from "../fakes.ts";
import { callOnce, client, type End, named, retriesLeft } from "./one-call.ts";

const repeat = (count: number, ...ends: readonly End[]): End[][] => Array.from({ length: count }, () => [...ends]);

describe("grpc-retry-throttling", () => {
  const grpc = named(budgetPresets, "grpc-retry-throttling");
  const fresh = (options: Readonly<Record<string, number>> = {}) =>
    client(grpc, { maxAttempts: 1000, ...options }).policy;

  // A retry needs more than maxTokens / 2, and each failure takes 1 (grpc/proposal A6): maxTokens / 2 - 1 from a full bucket.
  it.each([
    [10, 4],
    [100, 49],
    [1000, 499],
    [4, 1],
    [2, 0],
    [1, 0],
    [11, 5],
  ])("lets maxTokens / 2 - 1 retries pass from a full bucket of %f: %i", (maxTokens, retries) => {
    expect(retriesLeft(fresh({ maxTokens }))).toBe(retries);
  });

  // From empty a failure takes one more before it asks: more than (maxTokens / 2 + 1) / tokenRatio successes.
  it.each([
    [10, 0.1, 61],
    [10, 0.5, 13],
    [4, 0.001, 3001],
    [100, 0.25, 205],
    [10, 7, 1],
    // Further decimals are ignored (A6): 0.001 and 0.546.
    [4, 0.0019, 3001],
    [10, 0.5466, 11],
  ])(
    "with %f tokens and a ratio of %f takes %i successes from empty to the next retry",
    (maxTokens, tokenRatio, successes) => {
      const afterSuccesses = (count: number) => {
        const policy = fresh({ maxTokens, tokenRatio });
        for (let failures = 0; failures < maxTokens; failures++) callOnce(policy, "busy");
        for (let success = 0; success < count; success++) callOnce(policy, "ok");
        return retriesLeft(policy);
      };
      expect(afterSuccesses(successes - 1)).toBe(0);
      expect(afterSuccesses(successes)).toBeGreaterThan(0);
    },
  );

  it("counts the last attempt of a call before it looks at the number of attempts, as grpc-go", () => {
    const policy = client(grpc).policy;
    expect(callOnce(policy, "busy")).toMatchObject({ outcome: "failed", attempts: 4 });
    // 10 - 4 = 6, and the next failure makes it 5, which is half.
    expect(callOnce(policy, "busy")).toMatchObject({ outcome: "budget", attempts: 1 });
  });

  it("counts neither what failed otherwise nor an answer that is no success", () => {
    const spent = () => {
      const policy = fresh({ maxTokens: 4, tokenRatio: 1 });
      retriesLeft(policy); // 4 - 2 = 2 is left
      return policy;
    };
    const afterOne = (end: End) => {
      const policy = spent();
      callOnce(policy, end);
      callOnce(policy, end);
      return retriesLeft(policy);
    };
    expect([afterOne("ok"), afterOne("unknownOk"), afterOne("missing"), afterOne("broken")]).toEqual([1, 1, 0, 0]);
  });

  it("waits min(1 s, 0.1 s x 2^n), give or take a fifth", () => {
    const delays = (draw: number) => client(grpc, { maxAttempts: 5 }, new ScriptedRandom(draw));
    const ends: End[] = ["busy", "busy", "busy", "busy", "ok"];
    const least = callOnce(delays(0).policy, ...ends).delays;
    const mean = callOnce(delays(0.5).policy, ...ends).delays;
    for (const [retry, seconds] of [0.1, 0.2, 0.4, 0.8].entries()) {
      expect(least[retry]).toBeCloseTo(0.8 * seconds, 12);
      expect(mean[retry]).toBeCloseTo(seconds, 12);
    }
  });
});

describe("aws-standard", () => {
  const aws = named(budgetPresets, "aws-standard");
  const fresh = (options: Readonly<Record<string, number>> = {}) =>
    client(aws, { maxAttempts: 1000, ...options }).policy;

  it("lets 100 retries pass from the start, with the costs of 2026 35", () => {
    expect(retriesLeft(fresh())).toBe(100);
    expect(retriesLeft(fresh({ retryCost: 14, timeoutRetryCost: 14 }))).toBe(35);
  });

  // By hand from botocore's quota.py and standard.py: what is left of 500 is what retries of 5 can still be paid from.
  const cases: readonly (readonly [string, readonly (readonly End[])[], number])[] = [
    ["a success after a retry returns its cost", [["busy", "ok"]], 500],
    ["only the last retry's cost comes back", [["busy", "busy", "ok"]], 495],
    ["a retry after a time-out costs 10", [["timeout", "broken"]], 490],
    ["a success after it returns 10", [["timeout", "ok"]], 500],
    ["10 and 5 are taken, the last 5 come back", [["timeout", "busy", "ok"]], 490],
    ["5 and 10 are taken, the last 10 come back", [["busy", "timeout", "ok"]], 495],
    ["a 404 after a retry returns nothing", [["busy", "missing"]], 495],
    ["another fault returns nothing", [["busy", "busy", "broken"]], 490],
    ["five first successes earn 5", [["busy", "broken"], ...repeat(5, "ok")], 500],
    ["four do not make a retry", [["busy", "broken"], ...repeat(4, "ok")], 499],
    ["five 404s earn nothing", [["busy", "broken"], ...repeat(5, "missing")], 495],
    ["more than the capacity is not kept", [...repeat(50, "ok")], 500],
  ];
  it.each(cases)("%s", (_rule, calls, tokens) => {
    const policy = fresh();
    for (const ends of calls) callOnce(policy, ...ends);
    expect(retriesLeft(policy)).toBe(Math.floor(tokens / 5));
  });

  it("makes a retry after a 429 cost what throttlingRetryCost says", () => {
    const policy = fresh({ retryCost: 14, timeoutRetryCost: 14, capacity: 23 });
    expect(callOnce(policy, "throttled", "throttled", "busy")).toMatchObject({ outcome: "budget", attempts: 3 });
  });

  it("asks for the number of attempts before the quota: a last attempt costs nothing", () => {
    const policy = client(aws, { capacity: 10 }).policy;
    expect(callOnce(policy, "busy")).toMatchObject({ outcome: "failed", attempts: 3 });
    for (let success = 0; success < 10; success++) callOnce(policy, "ok");
    expect(callOnce(policy, "busy")).toMatchObject({ outcome: "failed", attempts: 3 });
    expect(callOnce(policy, "busy")).toMatchObject({ outcome: "budget", attempts: 1 });
  });

  it("waits U(0, 1) x min(2^i, 20) seconds", () => {
    const { policy } = client(aws, { maxAttempts: 8 }, new ScriptedRandom(0.5));
    expect(callOnce(policy, "busy").delays).toEqual([0.5, 1, 2, 4, 8, 10, 10]);
  });
});

describe("brooker-token-bucket", () => {
  const brooker = named(budgetPresets, "brooker-token-bucket");
  const perSuccess = { maxAttempts: 1000, depositPerSuccess: 0.25 };
  const perCall = { maxAttempts: 1000, depositPerSuccess: 0, depositPerCall: 0.25 };

  it.each([
    [5, 4],
    [1, 0],
    [1.5, 1],
    [2, 1],
    [0, 0],
  ])("lets retries pass while there is more than one token: from %f %i", (bucketSize, retries) => {
    expect(retriesLeft(client(brooker, { maxAttempts: 1000, bucketSize }).policy)).toBe(retries);
  });

  // One token is left by the burst. With a quarter per success the next one needs 1 more success, then 4 each.
  it.each([
    [0, 0],
    [1, 1],
    [4, 1],
    [5, 2],
    [100, 4],
  ])("gains from successes: after %i of them %i retries pass", (successes, retries) => {
    const { policy } = client(brooker, perSuccess);
    retriesLeft(policy);
    for (let success = 0; success < successes; success++) callOnce(policy, "ok");
    expect(retriesLeft(policy)).toBe(retries);
  });

  it("gains from the start of calls instead, whatever becomes of them", () => {
    const { policy } = client(brooker, perCall);
    expect(retriesLeft(policy)).toBe(4);
    // The call itself has brought a quarter before it failed: 1.25, one retry; then 0.25 x 4 for another.
    expect([1, 2, 3, 4, 5].map(() => retriesLeft(policy))).toEqual([1, 0, 0, 0, 1]);
  });

  it("retries at once, three times", () => {
    expect(callOnce(client(brooker).policy, "busy")).toEqual({ outcome: "failed", attempts: 4, delays: [0, 0, 0] });
  });
});

describe("mongodb", () => {
  it("retries twice, after U(0, 1) x min(10 s, 0.1 s x 2^i) with i = 1, 2", () => {
    const mongodb = named(budgetPresets, "mongodb");
    const two = callOnce(client(mongodb, {}, new ScriptedRandom(0.5)).policy, "busy");
    expect(two).toEqual({ outcome: "failed", attempts: 3, delays: [0.1, 0.2] });
    const many = callOnce(client(mongodb, { maxAttempts: 9 }, new ScriptedRandom(0.5)).policy, "busy");
    expect(many.delays.slice(2)).toEqual([0.4, 0.8, 1.6, 3.2, 5, 5]);
  });
});
