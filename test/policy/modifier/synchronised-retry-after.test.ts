import { describe, expect, it } from "vitest";
import { stream } from "../../../src/plan/streams.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePolicy } from "../../../src/policy/catalogue.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { userPolicies } from "../../../src/policy/user-policies.ts";
import { ManualClock } from "../fakes.ts";

const USERS = 1000;
/** The server takes this many a second, with a burst of 10, and tells all others to come back in 5 s. */
const CAPACITY = 20;
const BURST = 10;
const HINT_SECONDS = 5;
/** The users' calls fall into this time: a timer that all have in common. */
const START_SECONDS = 0.5;
const UNTIL_SECONDS = 35;

interface Waiting {
  readonly policy: Policy;
  readonly call: CallRecord;
  atSeconds: number;
}

/** Attempts in each second, of users that all called at the same time and were all told the same. */
function sentPerSecond(seed: number, options: Record<string, unknown>): number[] {
  const clock = new ManualClock();
  const resolved = resolvePolicy("retry", { maxAttempts: 1000, ...options });
  const make = userPolicies(resolved, {
    policy: (user) => stream(seed, "policy", user),
    jitter: (user) => stream(seed, "jitter", user),
  });
  const starts = stream(seed, "arrivals");
  const queue: Waiting[] = Array.from({ length: USERS }, (_, user) => {
    const atSeconds = START_SECONDS * starts.random();
    const call = new CallRecord();
    call.intendedSeconds = atSeconds;
    return { policy: make(user, clock), call, atSeconds };
  });
  queue.sort((one, other) => other.atSeconds - one.atSeconds);
  const sent = new Array<number>(UNTIL_SECONDS).fill(0);
  let tokens = BURST;
  for (;;) {
    const next = queue.pop();
    if (next === undefined || next.atSeconds >= UNTIL_SECONDS) return sent;
    const { policy, call } = next;
    tokens = Math.min(BURST, tokens + (next.atSeconds - clock.seconds) * CAPACITY);
    clock.seconds = next.atSeconds;
    call.prepareAdmission(1);
    if (policy.admit(call) === "send") {
      const second = Math.floor(clock.seconds);
      sent[second] = (sent[second] as number) + 1;
      const accepted = tokens >= 1;
      if (accepted) tokens -= 1;
      call.status = accepted ? 200 : 503;
      call.answerHeaders = accepted ? undefined : ["retry-after", String(HINT_SECONDS)];
      call.delaySeconds = 0;
      if (policy.settle(call, accepted ? "accepted" : "overloaded") !== "retry") continue;
      call.attempt += 1;
    }
    next.atSeconds = clock.seconds + call.delaySeconds;
    insert(queue, next);
  }
}

/** Keeps the next one to come last. */
function insert(queue: Waiting[], one: Waiting): void {
  let from = 0;
  let to = queue.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((queue[middle] as Waiting).atSeconds > one.atSeconds) from = middle + 1;
    else to = middle;
  }
  queue.splice(from, 0, one);
}

/** Of the 5 s from `fromSeconds` on: 5 when all is sent within one second of them, 1 when it is spread evenly. */
function peakToMean(perSecond: readonly number[], fromSeconds: number): number {
  const seconds = perSecond.slice(fromSeconds, fromSeconds + HINT_SECONDS);
  return (Math.max(...seconds) * HINT_SECONDS) / seconds.reduce((sum, count) => sum + count, 0);
}

describe("synchronised Retry-After (V15): 1,000 users that are all told 5 s, peak to mean of what they send a second", () => {
  const medians = (retryAfterJitter: number): number[] => {
    const runs = Array.from({ length: 10 }, (_, seed) =>
      sentPerSecond(seed, { retryAfter: "retry", retryAfterJitter }),
    );
    return [5, 30].map((fromSeconds) => {
      const values = runs.map((run) => peakToMean(run, fromSeconds)).sort((one, other) => one - other);
      return ((values[4] as number) + (values[5] as number)) / 2;
    });
  };

  it("without jitter all come back within one second, time after time: 5.0", () => {
    expect(medians(0)).toEqual([5, 5]);
  });

  it.each([
    // With 0.2 they are spread over 1 s of the 5 by each round, so it takes some rounds.
    [0.2, 3.7, 2.7],
    [0.5, 2.0, 1.6],
    [1, 1.1, 1.25],
  ])("with a jitter of %f: %f in the first round, %f in the sixth", (retryAfterJitter, first, sixth) => {
    const [inFirst, inSixth] = medians(retryAfterJitter) as [number, number];
    expect(Math.abs(inFirst - first)).toBeLessThan(0.15 * first);
    expect(Math.abs(inSixth - sixth)).toBeLessThan(0.15 * sixth);
  });

  it("nobody comes back before the time that it was told", () => {
    for (const retryAfterJitter of [0, 0.2, 1]) {
      const perSecond = sentPerSecond(1, { retryAfter: "retry", retryAfterJitter });
      expect(perSecond.slice(1, HINT_SECONDS)).toEqual([0, 0, 0, 0]);
    }
  });
});
