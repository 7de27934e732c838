import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FinagleBackoff } from "../../../src/policy/budget/finagle-backoff.ts";
import { budgetPresets } from "../../../src/policy/budget/presets.ts";
import { OverloadClient } from "../../../src/policy/overload-client.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";
import { callOnce, client, type End, named, retriesLeft } from "./one-call.ts";

const presetOf = (name: string) => named(budgetPresets, name);

function many(policy: ReturnType<typeof client>["policy"], count: number, end: End): void {
  for (let call = 0; call < count; call++) callOnce(policy, end);
}

describe("sre-budget", () => {
  // retries < 0.25 x requests, the retries among the requests; from 1 request (0.25): 1 retry, 2 requests (0.5): stop.
  it.each([
    [0, 1],
    [2, 1],
    [3, 2],
    [6, 3],
    [99, 34],
  ])("after %i calls that went well a failing one gets %i retries at a ratio of 1/4", (calls, retries) => {
    const { policy } = client(presetOf("sre-budget"), { retryRatio: 0.25, maxAttempts: 1000 });
    many(policy, calls, "ok");
    expect(retriesLeft(policy)).toBe(retries);
  });

  it("forgets requests and retries a window later, by whole seconds", () => {
    const { policy, clock } = client(presetOf("sre-budget"), { window: 10, retryRatio: 0.25, maxAttempts: 1000 });
    many(policy, 99, "ok");
    clock.seconds = 9.75;
    expect(retriesLeft(policy)).toBe(34);
    expect(retriesLeft(policy)).toBe(0);
    clock.seconds = 10;
    // 36 requests of second 9, and this one, with 34 retries: none. At 19 all are gone.
    expect(retriesLeft(policy)).toBe(0);
    clock.seconds = 20;
    expect(retriesLeft(policy)).toBe(1);
  });

  const ends = fc.constantFrom<End>("ok", "busy", "timeout", "broken", "missing");
  const steps = fc.array(fc.tuple(fc.double({ min: -300, max: 300, noNaN: true }), fc.array(ends, { minLength: 1 })));

  it("ends every call as OverloadClient does when that never throttles", () => {
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom(0, 0.1, 0.3, 1, 5),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(1, 2.5, 10, 120),
        (calls, retryRatio, maxAttempts, window) => {
          const { policy, clock } = client(presetOf("sre-budget"), { retryRatio, maxAttempts, window });
          // Without an accept p is requests / (requests + 1) for any k: only a number next to 1 is never below it.
          const other = new ManualClock();
          const never = new ScriptedRandom(1 - 2 ** -53);
          const whole = new OverloadClient(other, never, { k: Number.MAX_VALUE, retryRatio, maxAttempts, window });
          for (const [gap, attempts] of calls) {
            clock.seconds += gap;
            other.seconds = clock.seconds;
            const { outcome, attempts: made } = callOnce(whole, ...attempts);
            expect(callOnce(policy, ...attempts)).toMatchObject({ outcome, attempts: made });
          }
        },
      ),
    );
  });
});

describe("finagle-budget", () => {
  const finagle = presetOf("finagle-budget");
  const fresh = (options: Readonly<Record<string, number>> = {}) => client(finagle, { maxAttempts: 5000, ...options });
  const bare = { minRetriesPerSec: 0 };

  // The failing call itself deposits 1,000; withdrawal = trunc(1000 / percentCanRetry).
  it.each([
    [{}, 0, 100],
    [{ ttl: 1.5 }, 0, 10],
    [{ ttl: 60 }, 0, 600],
    [{ minRetriesPerSec: 3, percentCanRetry: 1 }, 0, 31],
    [bare, 0, 0],
    [bare, 3, 0],
    [bare, 4, 1],
    [bare, 98, 19],
    [bare, 99, 20],
    [{ ...bare, percentCanRetry: 0.3 }, 9, 3],
    [{ ...bare, percentCanRetry: 0.6 }, 4, 3],
    [{ ...bare, percentCanRetry: 2 }, 4, 10],
    [{ ...bare, percentCanRetry: 1000 }, 0, 1000],
    [{ percentCanRetry: 0 }, 100, 100],
    [{ ...bare, percentCanRetry: 0 }, 100, 0],
  ])("with %o after %i calls lets %i retries pass", (options, calls, retries) => {
    const { policy } = fresh(options);
    many(policy, calls, "ok");
    expect(retriesLeft(policy)).toBe(retries);
  });

  it("forgets deposits when the slice they are in is the tenth before the open one", () => {
    const left = (seconds: number) => {
      const { policy, clock } = fresh(bare);
      many(policy, 10, "ok");
      // A look a second closes the slices on time.
      for (clock.seconds = 1; clock.seconds < seconds; clock.seconds++) callOnce(policy, "broken");
      clock.seconds = seconds;
      return retriesLeft(policy);
    };
    // Of 10 + 9 looks + this one 20 are there at 9.75; at 10 the first ten have gone.
    expect(left(9.75)).toBe(4);
    expect(left(10)).toBe(2);
  });

  it("gets its reserve back a ttl after it was spent", () => {
    const { policy, clock } = fresh({ percentCanRetry: 0 });
    expect(retriesLeft(policy)).toBe(100);
    for (const seconds of [1, 2, 3, 4, 5, 6, 7, 8, 9, 9.75]) {
      clock.seconds = seconds;
      expect(retriesLeft(policy)).toBe(0);
    }
    clock.seconds = 10;
    expect(retriesLeft(policy)).toBe(100);
  });

  it("waits 5 ms, then U(previous, min(200 ms, 3 x previous))", () => {
    const { policy } = client(finagle, { maxAttempts: 7 }, new ScriptedRandom(0.5));
    const { delays } = callOnce(policy, "busy");
    for (const [retry, seconds] of [0.005, 0.01, 0.02, 0.04, 0.08, 0.14].entries()) {
      expect(delays[retry]).toBeCloseTo(seconds, 12);
    }
  });

  it("makes three attempts", () => {
    expect(callOnce(client(finagle).policy, "busy")).toMatchObject({ outcome: "failed", attempts: 3 });
  });
});

describe("FinagleBackoff", () => {
  it("gives delays from start to maximum for any retry number and any delay before", () => {
    const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 3600, noNaN: true }),
        fc.double({ min: 0, max: 3600, noNaN: true }),
        fc.integer({ min: 0, max: 5000 }),
        fc.double({ min: 0, noNaN: true }),
        draw,
        (start, maximum, retry, previous, u) => {
          const delay = new FinagleBackoff(start, maximum).delaySeconds(retry, previous, new ScriptedRandom(u));
          expect(delay).toBeGreaterThanOrEqual(Math.min(start, maximum));
          expect(delay).toBeLessThanOrEqual(maximum);
        },
      ),
    );
  });
});

describe("linkerd-budget", () => {
  const linkerd = presetOf("linkerd-budget");
  const bare = { minRetriesPerSecond: 0 };

  // By hand from tower: a call that is answered deposits 1 at a cost of trunc(1 / ratio), the failing one nothing.
  it.each([
    [{}, 0, 100],
    [{ ttl: 1.5 }, 0, 10],
    [bare, 4, 0],
    [bare, 5, 1],
    [bare, 99, 19],
    [{ ...bare, retryRatio: 0.3 }, 9, 3],
    // trunc(1 / 0.6) is 1: a ratio above one half acts as 1 (tower issue 857).
    [{ ...bare, retryRatio: 0.6 }, 5, 5],
    [{ ...bare, retryRatio: 1 }, 5, 5],
    // 1 / 0.1 in 32 bits is 10 again; 1 / 0.7 is 1.43.
    [{ ...bare, retryRatio: 0.1 }, 20, 2],
    [{ ...bare, retryRatio: 0.7 }, 5, 5],
    [{ ...bare, retryRatio: 2 }, 5, 10],
    [{ retryRatio: 0 }, 100, 100],
    [{ ...bare, retryRatio: 0 }, 100, 0],
  ])("with %o after %i answered calls lets %i retries pass", (options, calls, retries) => {
    const { policy } = client(linkerd, options);
    many(policy, calls, "ok");
    expect(retriesLeft(policy)).toBe(retries);
  });

  it.each<[End, number]>([
    ["ok", 1],
    ["missing", 1],
    ["broken", 1],
  ])("deposits for %s, which is not retried", (end, retries) => {
    const { policy } = client(linkerd, bare);
    many(policy, 5, end);
    expect(retriesLeft(policy)).toBe(retries);
  });

  it("deposits nothing for failures, and for a retry that is answered as for any answer", () => {
    const { policy } = client(linkerd, { ...bare, retryRatio: 1 });
    many(policy, 20, "busy");
    expect(retriesLeft(policy)).toBe(0);
    many(policy, 2, "ok");
    callOnce(policy, "busy", "ok"); // - 1 + 1
    expect(retriesLeft(policy)).toBe(2);
  });
});
