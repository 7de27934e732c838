/** What must hold of every policy in the catalogue, whatever its rule. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { stream } from "../../src/plan/streams.ts";
import { CallRecord } from "../../src/policy/call-record.ts";
import { policyPresets, resolvePolicy } from "../../src/policy/catalogue.ts";
import type { AttemptVerdict, Policy } from "../../src/policy/policy.ts";
import { userPolicies } from "../../src/policy/user-policies.ts";
import { ManualClock } from "./fakes.ts";

const names = policyPresets.map((preset) => preset.name);
const HOUR = 3600;
const DAY = 24 * HOUR;

const STREAMS = {
  policy: (user: number) => stream(1, "policy", user),
  jitter: (user: number) => stream(1, "jitter", user),
};

/** One call at a time, driven to its end; time passes as the policy asks, and 1 ms a step. */
class Client {
  readonly clock = new ManualClock(1000);
  readonly policy: Policy;
  sent = 0;

  constructor(name: string) {
    this.policy = userPolicies(resolvePolicy(name), STREAMS)(0, this.clock);
  }

  /** @returns whether any attempt of the call was sent. Gives a call up that waits for longer than a minute. */
  call(verdict: AttemptVerdict): boolean {
    const call = new CallRecord();
    call.intendedSeconds = this.clock.seconds;
    const sentBefore = this.sent;
    let waited = 0;
    for (let step = 0; step < 1000; step += 1) {
      this.clock.seconds += 0.001;
      call.prepareAdmission(1);
      const admission = this.policy.admit(call);
      if (admission === "wait") {
        waited += call.delaySeconds;
        if (waited > 60) {
          this.policy.abandon?.(call);
          break;
        }
        this.clock.seconds += call.delaySeconds;
        continue;
      }
      if (admission !== "send") break;
      this.sent += 1;
      this.clock.seconds += 0.01;
      call.status = verdict === "accepted" ? 200 : 503;
      call.fault = "none";
      call.delaySeconds = 0;
      call.lastAttempt = call.attempt;
      if (this.policy.settle(call, verdict) !== "retry") break;
      expect(call.delaySeconds).toBeGreaterThanOrEqual(0);
      expect(call.delaySeconds).toBeLessThan(HOUR);
      this.clock.seconds += call.delaySeconds;
      call.attempt += 1;
    }
    return this.sent > sentBefore;
  }

  /** `count` calls, `gapSeconds` apart. @returns how many of them were sent. */
  calls(count: number, gapSeconds: number, verdict: AttemptVerdict): number {
    let sent = 0;
    for (let index = 0; index < count; index += 1) {
      this.clock.seconds += gapSeconds;
      if (this.call(verdict)) sent += 1;
    }
    return sent;
  }
}

describe.each(names)("%s", (name) => {
  it("sends all that a healthy backend takes", () => {
    expect(new Client(name).calls(1000, 0.05, "accepted")).toBe(1000);
  });

  it.each([
    ["days without a call", 3 * DAY],
    ["the clock stepped back by an hour", -HOUR],
    ["the clock stepped on by an hour", HOUR],
  ])("is itself again after an overload and %s", (_what, step) => {
    const client = new Client(name);
    client.calls(500, 0.02, "overloaded");
    client.clock.seconds += step;
    // Within ten minutes it has found out that all is well.
    client.calls(1200, 0.5, "accepted");
    expect(client.calls(200, 0.5, "accepted")).toBeGreaterThanOrEqual(198);
  });

  it("makes no more than a few attempts of one call, however long it fails", () => {
    const client = new Client(name);
    client.call("overloaded");
    expect(client.sent).toBeLessThanOrEqual(name === "linkerd-budget" ? 1000 : 10);
  });
});

describe("ten thousand clients of every policy", () => {
  it("leave no memory behind once they are dropped", () => {
    const collect = garbageCollector();
    const grown = (): number => {
      collect();
      return process.memoryUsage().heapUsed + process.memoryUsage().external;
    };
    const make = (name: string): void => {
      const clock = new ManualClock();
      const policies = userPolicies(resolvePolicy(name), STREAMS);
      const clients = Array.from({ length: 10_000 }, (_, user) => policies(user, clock));
      for (const client of clients) {
        const call = new CallRecord();
        if (client.admit(call) === "send") client.settle(call, "accepted");
      }
    };
    for (const name of names.slice(0, 3)) make(name);
    const before = grown();
    for (const name of names) make(name);
    // Fifty times ten thousand clients of some hundred bytes: 250 MB if they stayed.
    expect(grown() - before).toBeLessThan(25e6);
  }, 60_000);
});

function garbageCollector(): () => void {
  const { Bun } = globalThis as { Bun?: { gc(force: boolean): void } };
  if (Bun !== undefined) return () => Bun.gc(true);
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
