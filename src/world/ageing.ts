/** The past of aged clients: each user's policy lives through healthy traffic before the trial, in virtual time. */

import { Classifier, DEFAULT_OK_ON, DEFAULT_OVERLOADED_ON } from "../engine/classify.ts";
import { OpenLoop, type OpenLoopOptions, type UserPolicies } from "../engine/open-loop.ts";
import type { LoopRecord } from "../engine/recorder.ts";
import type { AgeSpec, TrialSpec, VirtualWorldSpec } from "../engine/trial-spec.ts";
import { ageingArrivals, pastRps } from "../plan/ageing-arrivals.ts";
import type { Clock, Policy } from "../policy/policy.ts";
import type { TrialResult } from "../result/schema.ts";
import { EventQueue } from "./virtual/event-queue.ts";
import { createServer } from "./virtual/model.ts";

/** Events between two looks at the outside world. */
const EVENTS_PER_SLICE = 16_384;

/** Clients with a past, and what that came to. */
export interface Aged {
  /** The policies of the trial: those that have lived, where they have. */
  readonly policies: UserPolicies;
  readonly age: NonNullable<TrialResult["age"]>;
}

export type AgedTrialSpec = TrialSpec & { readonly age: AgeSpec };

export interface AgeingOptions {
  /** Which of the trial's workers: its users' past is lived through, no other's. */
  readonly shard: number;
  readonly criticalityOf?: OpenLoopOptions["criticalityOf"];
  /** Polled: true ends the past where it stands, since no trial will follow. */
  stopRequested(): boolean;
}

/**
 * Lets the policies live through `spec.age`: the trial's own open loop over the arrivals of {@link ageingArrivals}, against a
 * backend that accepts all. It plays in [-age, 0) of the trial's clock, so that the policies' time goes on where the trial
 * begins, at 0, and no time of the trial is another than without a past; a policy must not mind where its clock has its zero.
 * The last arrivals come one answer before 0, and what waits for something else then is abandoned: nothing is under way at 0.
 *
 * Takes about a microsecond for each call.
 *
 * @param policies makes them; each user's is made once, for its past and for the trial.
 * @throws RangeError for an age that the trial cannot have, see {@link checkAge}.
 */
export function agedPolicies(spec: AgedTrialSpec, policies: UserPolicies, options: AgeingOptions): Aged {
  checkAge(spec);
  const { plan, timeoutSeconds, workers } = spec;
  const { seconds, latencySeconds } = spec.age;
  const { shard, criticalityOf } = options;
  const arrivals = ageingArrivals(plan, seconds, shard, workers);
  const events = new EventQueue(-seconds);
  const clock = new OwnedClock(events);
  const lived: (Policy | undefined)[] = [];
  const policyOf: UserPolicies = (user, loopClock) => {
    clock.owner = loopClock;
    lived[user] ??= policies(user, clock);
    return lived[user];
  };
  const record = new PastRecord();
  let done = false;
  const loop = new OpenLoop(
    {
      warmupSeconds: 0,
      // Arrivals end so long before 0.
      durationSeconds: -latencySeconds,
      drainSeconds: latencySeconds,
      timeoutSeconds,
      maxInFlight: Number.POSITIVE_INFINITY,
      late: { kind: "send" },
      ...(criticalityOf === undefined ? {} : { criticalityOf }),
    },
    arrivals,
    policyOf,
    new Classifier(DEFAULT_OVERLOADED_ON, DEFAULT_OK_ON),
    events,
    record,
    {
      measuring() {},
      ended() {
        done = true;
      },
    },
  );
  loop.start(createServer(healthy(latencySeconds), 0, { seed: plan.seed }, events, loop));
  while (!done && !options.stopRequested()) events.run(EVENTS_PER_SLICE, () => done);
  return {
    policies: policyOf,
    // Of a past that was cut short, what there was of it.
    age: {
      seconds: done ? seconds : Math.min(seconds, seconds + events.now()),
      calls: record.calls,
      throttled: record.refused,
    },
  };
}

/** What a trial may wait for before it begins: some ten seconds. */
const CALLS_MAX = 20_000_000;

/**
 * @throws RangeError for an age beside a governor, before a plan that begins at rate 0, of more calls than can be waited for,
 *   and for one without room for an answer: shorter than that, or with answers that the clients would not wait for.
 */
export function checkAge(spec: Pick<TrialSpec, "age" | "governor" | "plan" | "timeoutSeconds">): void {
  const { age, governor, plan, timeoutSeconds } = spec;
  if (!isAged(age)) return;
  const { seconds, latencySeconds } = age;
  if (governor !== undefined) {
    throw new RangeError("Cannot age clients whose load a governor drives: their past has no rate to be of");
  }
  const calls = seconds * pastRps(plan);
  if (calls === 0) throw new RangeError("Cannot age clients of a load that begins at rate 0: so would their past");
  if (calls > CALLS_MAX) {
    throw new RangeError(
      `Cannot age as the past must have at most ${CALLS_MAX} calls: current value is ${Math.round(calls)}, in ${seconds} s`,
    );
  }
  if (!(latencySeconds >= 0 && latencySeconds < Math.min(seconds, timeoutSeconds))) {
    throw new RangeError(
      `Cannot age as an answer must take less than the past (${seconds} s) and than an attempt may (${timeoutSeconds} s): current value is ${latencySeconds} s`,
    );
  }
}

/** A past of no length is none. */
export function isAged(age: AgeSpec | undefined): age is AgeSpec {
  return age !== undefined && age.seconds > 0;
}

function healthy(latencySeconds: number): VirtualWorldSpec {
  return { kind: "virtual", model: { name: "bernoulli", accept: 1, latencySeconds } };
}

/** The clock of policies that outlive the loop they began with. */
class OwnedClock implements Clock {
  owner: Clock;

  constructor(owner: Clock) {
    this.owner = owner;
  }

  now(): number {
    return this.owner.now();
  }
}

/** Counts, and times nothing. */
class PastRecord implements LoopRecord {
  calls = 0;
  /** Ended by their policy. */
  refused = 0;

  arrived(): void {
    this.calls += 1;
  }

  handed(): void {}

  attemptEnded(): void {}

  callEnded(...[, outcome]: Parameters<LoopRecord["callEnded"]>): void {
    if (outcome !== "ok" && outcome !== "unfinished") this.refused += 1;
  }

  cutOff(): void {}
}
