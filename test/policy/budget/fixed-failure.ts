/** A backend that fails a fixed share of all attempts, and one client that calls it: what a budget makes of it. */

import { naturalLog } from "../../../src/plan/natural-log.ts";
import { stream } from "../../../src/plan/streams.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import type { PolicyPreset } from "../../../src/policy/preset.ts";
import { ManualClock } from "../fakes.ts";

export interface FixedFailure {
  readonly preset: PolicyPreset;
  readonly options?: Readonly<Record<string, number>> | undefined;
  /** Probability with which an attempt is overloaded; else it is accepted, with a 200. */
  readonly failure: number;
  readonly callsPerSecond: number;
  /** Default `poisson`. */
  readonly arrivals?: "poisson" | "constant" | undefined;
  /** Calls that are counted, after `warmUpCalls` that are not. */
  readonly calls: number;
  readonly warmUpCalls: number;
  readonly seed: number;
}

interface Waiting {
  readonly dueSeconds: number;
  readonly call: CallRecord;
  readonly counted: boolean;
}

/** Answers come at once; backoffs are waited for. @returns figures per counted call. */
export function driveFixedFailure(run: FixedFailure): { readonly attempts: number; readonly ok: number } {
  const clock = new ManualClock();
  const [arrivals, target] = [stream(run.seed, "arrivals"), stream(run.seed, "target")];
  const { preset, own } = resolvePreset(run.preset, run.options);
  const policy = preset.create(own)(clock, stream(run.seed, "policy"), stream(run.seed, "jitter"));
  const waiting: Waiting[] = [];
  let attempts = 0;
  let ok = 0;

  const attempt = (call: CallRecord, counted: boolean): void => {
    for (;;) {
      call.prepareAdmission(Number.POSITIVE_INFINITY);
      if (policy.admit(call) !== "send") return;
      if (counted) attempts += 1;
      const failed = target.random() < run.failure;
      call.status = failed ? 503 : 200;
      call.lastAttempt = call.attempt;
      call.delaySeconds = 0;
      if (policy.settle(call, failed ? "overloaded" : "accepted") !== "retry") {
        if (counted && !failed) ok += 1;
        return;
      }
      call.attempt += 1;
      if (call.delaySeconds > 0) {
        insert(waiting, { dueSeconds: clock.seconds + call.delaySeconds, call, counted });
        return;
      }
    }
  };

  const total = run.warmUpCalls + run.calls;
  let arrivalSeconds = 0;
  for (let index = 0; index < total; index++) {
    const gap = run.arrivals === "constant" ? 1 : -naturalLog(1 - arrivals.random());
    arrivalSeconds += gap / run.callsPerSecond;
    for (let next = waiting.at(-1); next !== undefined && next.dueSeconds <= arrivalSeconds; next = waiting.at(-1)) {
      waiting.pop();
      clock.seconds = next.dueSeconds;
      attempt(next.call, next.counted);
    }
    clock.seconds = arrivalSeconds;
    attempt(new CallRecord(), index >= run.warmUpCalls);
  }
  return { attempts: attempts / run.calls, ok: ok / run.calls };
}

/** Keeps the earliest last. */
function insert(waiting: Waiting[], item: Waiting): void {
  let place = waiting.length;
  waiting.push(item);
  for (; place > 0; place--) {
    const before = waiting[place - 1] as Waiting;
    if (before.dueSeconds > item.dueSeconds) break;
    waiting[place] = before;
  }
  waiting[place] = item;
}
