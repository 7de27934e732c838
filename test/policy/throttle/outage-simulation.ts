/** N clients with Poisson arrivals, a backend that takes all but during an outage, and no latency: no engine needed. */

import { stream } from "../../../src/plan/streams.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import type { PolicyPreset } from "../../../src/policy/preset.ts";
import { ManualClock } from "../fakes.ts";

export interface OutagePlan {
  readonly users: number;
  /** Calls per second of each. */
  readonly rate: number;
  /** Before the outage. */
  readonly healthySeconds: number;
  readonly outageSeconds: number;
  /** After it; a recovery that takes longer is `Infinity`. */
  readonly horizonSeconds: number;
  readonly seed: number;
}

export interface OutageResult {
  /** Share of the calls of the outage that were sent. */
  readonly sentShare: number;
  /** Attempts sent in the outage's last `lastSeconds`, per second and user. */
  probesPerSecond(lastSeconds: number): number;
  /** From the outage's end to the first whole second after which q of five seconds' calls are accepted. */
  recoverySeconds(q: number): number;
}

/** @param options of the preset. */
export function simulateOutage(
  preset: PolicyPreset,
  options: Readonly<Record<string, number>>,
  plan: OutagePlan,
): OutageResult {
  const { users, rate, healthySeconds, outageSeconds, horizonSeconds, seed } = plan;
  const clock = new ManualClock(0);
  const make = preset.create(resolvePreset(preset, options).own);
  const policies = Array.from({ length: users }, (_, user) =>
    make(clock, stream(seed, "policy", user), stream(seed, "jitter", user)),
  );
  const records = policies.map(() => new CallRecord());
  const chance = stream(seed, "target");
  const outageEnd = healthySeconds + outageSeconds;
  const seconds = outageEnd + horizonSeconds;
  const offered = new Float64Array(seconds + 1);
  const sent = new Float64Array(seconds + 1);
  const accepted = new Float64Array(seconds + 1);
  for (;;) {
    clock.seconds -= Math.log(1 - chance.random()) / (users * rate);
    if (clock.seconds >= seconds) break;
    const second = Math.floor(clock.seconds);
    const user = Math.floor(chance.random() * users);
    const call = records[user]!;
    offered[second]!++;
    if (policies[user]!.admit(call) !== "send") continue;
    sent[second]!++;
    const isDown = clock.seconds >= healthySeconds && clock.seconds < outageEnd;
    call.status = isDown ? 503 : 200;
    if (!isDown) accepted[second]!++;
    policies[user]!.settle(call, isDown ? "overloaded" : "accepted");
  }
  const sum = (counts: Float64Array, from: number, to: number): number =>
    counts.subarray(from, to).reduce((total, count) => total + count, 0);
  return {
    sentShare: sum(sent, healthySeconds, outageEnd) / sum(offered, healthySeconds, outageEnd),
    probesPerSecond: (lastSeconds) => sum(sent, outageEnd - lastSeconds, outageEnd) / lastSeconds / users,
    recoverySeconds(q) {
      for (let second = outageEnd; second + 5 <= seconds; second++) {
        if (sum(accepted, second, second + 5) >= q * sum(offered, second, second + 5)) return second - outageEnd;
      }
      return Number.POSITIVE_INFINITY;
    },
  };
}
