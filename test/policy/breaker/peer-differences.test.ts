import { ConsecutiveBreaker, SamplingBreaker } from "cockatiel";
import { describe, expect, it } from "vitest";
import { consecutiveBreaker, ratioBreaker } from "../../../src/policy/breaker/presets.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { ComposedPolicy } from "../../../src/policy/composed-policy.ts";
import type { ConcurrencyLimiter } from "../../../src/policy/parts.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";
import { cockatiel, opossum, throughPeer } from "./peers.ts";
import { type Arrival, throughOurs } from "./scenario.ts";

const probeTimeout = 1000;

const fails = (atSeconds: number, tookSeconds = 0.125): Arrival => ({ atSeconds, tookSeconds, failed: true });
const succeeds = (atSeconds: number, tookSeconds = 0.125): Arrival => ({ atSeconds, tookSeconds, failed: false });
/** So many calls, a quarter of a second apart. */
const row = (count: number, fromSeconds: number, make: (atSeconds: number) => Arrival): readonly Arrival[] =>
  Array.from({ length: count }, (_, index) => make(fromSeconds + index / 4));
const count = (sent: readonly boolean[]): number => sent.filter(Boolean).length;

const consecutive = (failures: number, timeout: number) =>
  consecutiveBreaker({ failures, timeout, maxRequests: 1, interval: 0, probeTimeout });
const ratio = (minRequests: number, openFor: number) =>
  ratioBreaker({ failureRatio: 0.5, window: 10, minRequests, openFor, probeTimeout });

describe("what the libraries do otherwise than breaker-consecutive and breaker-ratio", () => {
  it("cockatiel lets the calls that come while its probe is out wait, and sends all of them at its success; ours refuses", async () => {
    const arrivals = [...row(2, 0, fails), succeeds(6, 1.125), ...row(4, 6.25, succeeds)];
    const theirs = await throughPeer(
      arrivals,
      cockatiel(() => new ConsecutiveBreaker(2), 5000, true),
    );
    const mine = throughOurs(arrivals, consecutive(2, 5));
    expect(mine.changes).toEqual(["open 0.375", "closed 7.125"]);
    expect(theirs.changes).toEqual(mine.changes);
    expect([count(mine.sent), count(theirs.sent), theirs.sentLater]).toEqual([3, 3, 4]);
  });

  it("cockatiel drops one slice for each call, so failures of an hour ago open it; ours has forgotten them", async () => {
    const before = [...row(5, 0, succeeds), ...row(4, 2, fails)];
    const arrivals = [...before, ...row(2, 3600, fails)];
    const theirs = await throughPeer(
      arrivals,
      cockatiel(() => new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 0.5 }), 5000),
    );
    expect(theirs.changes).toEqual(["open 3600.375"]);
    expect(throughOurs(arrivals, ratio(5, 5)).changes).toEqual([]);
  });

  it("cockatiel opens above its threshold, ours at its ratio", async () => {
    const arrivals = [...row(5, 0, succeeds), ...row(5, 2, fails)];
    const theirs = await throughPeer(
      arrivals,
      cockatiel(() => new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 1 }), 5000),
    );
    expect(theirs.changes).toEqual([]);
    expect(throughOurs(arrivals, ratio(10, 5)).changes).toEqual(["open 3.125"]);
  });

  it("cockatiel's probe succeeds and still an older call's failure opens it; ours ignores what began before", async () => {
    const arrivals = [fails(0, 7.125), ...row(2, 0.25, fails), succeeds(6, 0.125)];
    const theirs = await throughPeer(
      arrivals,
      cockatiel(() => new ConsecutiveBreaker(1), 5000),
    );
    expect(theirs.changes).toEqual(["open 0.375", "closed 6.125", "open 7.125"]);
    expect(throughOurs(arrivals, consecutive(1, 5)).changes).toEqual(["open 0.375", "closed 6.125"]);
  });

  it("opossum closes at an older call's success before any probe was sent; ours waits for its probe", async () => {
    const arrivals = [succeeds(0, 6.125), ...row(2, 0.25, fails), succeeds(7)];
    const theirs = await throughPeer(arrivals, opossum({ resetTimeout: 5000, volumeThreshold: 3 }));
    expect(theirs.changes).toEqual(["open 0.625", "closed 6.125"]);
    const mine = throughOurs(arrivals, ratio(2, 5));
    expect(mine.changes).toEqual(["open 0.625", "closed 7.125"]);
  });

  it("opossum counts the calls under way as arrivals that did not fail; ours counts what ended", async () => {
    const arrivals = [...row(6, 0, (at) => succeeds(at, 20.125)), ...row(6, 2, fails)];
    const theirs = await throughPeer(arrivals, opossum({ volumeThreshold: 6 }));
    expect(theirs.changes).toEqual([]);
    expect(throughOurs(arrivals, ratio(6, 30)).changes).toEqual(["open 3.375"]);
  });

  it("opossum counts the calls that it refused as arrivals, so it opens late the second time", async () => {
    const refused = row(8, 0.25, succeeds);
    const arrivals = [fails(0), ...refused, succeeds(2.5), ...row(12, 3, fails)];
    const theirs = await throughPeer(arrivals, opossum({ resetTimeout: 2125 }));
    expect(theirs.changes).toEqual(["open 0.125", "closed 2.625", "open 5.125"]);
    // 1 failure, 8 refused, the probe and 9 more failures: 10 of 19.
    expect(throughOurs(arrivals.slice(0, -3), ratio(1, 2)).changes).toEqual([
      "open 0.125",
      "closed 2.625",
      "open 3.125",
    ]);
  });

  it("opossum takes its own full semaphore for a failure and opens; behind our breaker a full limiter is no evidence", async () => {
    const arrivals = [succeeds(0, 5.125), ...row(2, 0.25, succeeds)];
    const theirs = await throughPeer(arrivals, opossum({ capacity: 1 }));
    expect(theirs.changes).toEqual(["open 0.5"]);

    const breaker = ratio(1, 30);
    const full: ConcurrencyLimiter = { acquire: () => 0, release: () => {}, limit: 1 };
    const policy = new ComposedPolicy(new ManualClock(), new ScriptedRandom(0), {
      breaker,
      limiter: full,
      maxAttempts: 1,
    });
    expect(Array.from({ length: 50 }, () => policy.admit(new CallRecord()))).toEqual(Array(50).fill("limited"));
    expect(breaker.phase).toBe("closed");
  });
});
