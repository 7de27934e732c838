import { describe, expect, it } from "vitest";
import { Classifier } from "../../src/engine/classify.ts";
import { OpenLoop, type UserPolicies } from "../../src/engine/open-loop.ts";
import { Recorder } from "../../src/engine/recorder.ts";
import type { AgeSpec, TrialSpec } from "../../src/engine/trial-spec.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import { stream } from "../../src/plan/streams.ts";
import { resolvePolicy } from "../../src/policy/catalogue.ts";
import { OverloadClient } from "../../src/policy/overload-client.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { userPolicies } from "../../src/policy/user-policies.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { type Aged, agedPolicies, checkAge } from "../../src/world/ageing.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { runVirtual } from "../../src/world/virtual/run-virtual.ts";
import { trialSpec, UNWATCHED } from "../support/trial-spec.ts";

const AGE: AgeSpec = { seconds: 20, latencySeconds: 0.005 };
const PLAN: PlanSpec = {
  seed: 3,
  arrival: { law: "poisson", rate: { kind: "constant", rps: 200 } },
  warmupSeconds: 0,
  durationSeconds: 30,
  users: 10,
};
/** Takes all, until the script says otherwise. */
const HEALTHY: TrialSpec["world"] = { kind: "virtual", model: { name: "bernoulli", accept: 1, latencySeconds: 0.005 } };

function spec(change: Partial<TrialSpec> = {}): TrialSpec & { readonly age: AgeSpec } {
  return { age: AGE, ...trialSpec({ plan: PLAN, world: HEALTHY, ...change }) };
}

function age(policies: UserPolicies, change: Partial<TrialSpec> = {}, shard = 0): Aged {
  return agedPolicies(spec(change), policies, { shard, stopRequested: () => false });
}

function seeded(name: string, options: Readonly<Record<string, unknown>> = {}): UserPolicies {
  return userPolicies(resolvePolicy(name, options), {
    policy: (user) => stream(3, "policy", user),
    jitter: (user) => stream(3, "jitter", user),
  });
}

/** Fresh clients of their own, by user. */
function clients(window = 10): { readonly all: OverloadClient[]; readonly policies: UserPolicies } {
  const all: OverloadClient[] = [];
  const policies: UserPolicies = (user, clock) => {
    const client = new OverloadClient(clock, stream(3, "policy", user), { window });
    all[user] = client;
    return client;
  };
  return { all, policies };
}

/** The trial's own clock, as the loop hands it over. */
const ZERO = { now: () => 0 };

describe("a past", () => {
  it("leaves the trial's own arrivals as they are, bit for bit, and its policies' decisions where these know no past", async () => {
    const change = { policy: { name: "none", options: {} }, criticality: [1, 2, 1, 1] as const };
    const cold = await executeTrial(trialSpec({ plan: PLAN, ...change }), UNWATCHED);
    const aged = await executeTrial(trialSpec({ plan: PLAN, age: AGE, ...change }), UNWATCHED);
    const { age: past, startedAt: _a, ...rest } = aged;
    const { startedAt: _c, ...same } = cold;
    expect(rest).toEqual(same);
    expect(past).toEqual({ seconds: 20, calls: past?.calls, throttled: 0 });
    expect(Math.abs((past?.calls ?? 0) - 4000)).toBeLessThan(300);
  });

  it("is lived by every policy in the seconds before 0, each of its attempts ended or given up by then", () => {
    const times: number[] = [];
    let underWay = 0;
    let abandoned = 0;
    const policies: UserPolicies = (_user, clock): Policy => ({
      admit(call) {
        times.push(clock.now(), call.intendedSeconds);
        underWay += 1;
        if (call.attempt === 0) call.hedgeSeconds = 0.001;
        return "send";
      },
      settle() {
        times.push(clock.now());
        underWay -= 1;
        return "done";
      },
      abandon() {
        times.push(clock.now());
        abandoned += 1;
        underWay -= 1;
      },
    });
    const { age: past } = age(policies);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(-20);
    expect(Math.max(...times)).toBeLessThanOrEqual(0);
    expect(underWay).toBe(0);
    // Copies that the first one overtook.
    expect(abandoned).toBe(past.calls);
  });

  it("gives up what waits at 0: a client that is to start later than that holds nothing of it", () => {
    const waiting = new Set<object>();
    const policies: UserPolicies = (): Policy => ({
      admit(call) {
        waiting.add(call);
        call.delaySeconds = 3600;
        return "wait";
      },
      settle: () => "done",
      abandon: (call) => void waiting.delete(call),
    });
    const { age: past } = age(policies);
    expect(past.calls).toBeGreaterThan(3000);
    expect(waiting.size).toBe(0);
  });

  it.each(["aimd", "dialogue", "vegas", "gradient2", "envoy-gradient"])(
    "leaves the limiter of %s with no place taken",
    async (name) => {
      // As many calls at once as it had places, and each is answered: a place that stayed taken would be missing.
      const trial = await executeTrial(spec({ policy: { name, options: {} } }), UNWATCHED);
      expect(trial.calls.limited).toBe(0);
      expect(trial.calls.ok).toBe(trial.calls.planned);
      expect(trial.age?.throttled).toBe(0);
    },
  );

  it("gives a throttle the counts that a real warm-up of that length does: exactly, where arrivals are even", () => {
    const arrival = { law: "constant", rate: { kind: "constant", rps: 200 } } as const;
    const lived = clients(120);
    const aged = age(lived.policies, { plan: { ...PLAN, arrival }, age: { seconds: 120, latencySeconds: 0.004 } });
    aged.policies(0, ZERO);
    const warm = clients(120);
    const plan = { ...PLAN, arrival, durationSeconds: 120 };
    liveThrough(plan, warm.policies);
    expect(lived.all.map((client) => [client.requests(), client.accepts()])).toEqual(
      warm.all.map((client) => [client.requests(), client.accepts()]),
    );
    // Of the 120 seconds in the window, the present one has just begun.
    expect(lived.all.map((client) => client.requests())).toEqual(new Array(10).fill(20 * 119));
  });

  it("gives a throttle the counts of a real warm-up, as chance has it, where arrivals are random", () => {
    const { all, policies } = clients(10);
    const { age: past } = age(policies);
    const requests = all.reduce((sum, client) => sum + client.requests(), 0);
    // Ten of the seconds, but for what the current one lacks: mean 1,800 to 2,000.
    expect(requests).toBeGreaterThan(1650);
    expect(requests).toBeLessThan(2200);
    expect(all.reduce((sum, client) => sum + client.accepts(), 0)).toBe(requests);
    // Cold, of two calls at once the second may be refused.
    expect(past.throttled).toBeLessThan(5);
  });

  it("goes on where the trial begins: the policies' clock is the trial's from then on", () => {
    const { all, policies } = clients(10);
    const aged = age(policies);
    let now = 0;
    const clock = { now: () => now };
    for (let user = 0; user < 10; user += 1) expect(aged.policies(user, clock)).toBe(all[user]);
    const before = all.reduce((sum, client) => sum + client.requests(), 0);
    now = 4.5;
    const after = all.reduce((sum, client) => sum + client.requests(), 0);
    // Four of ten seconds have left the window, none has come.
    expect(after / before).toBeGreaterThan(0.5);
    expect(after / before).toBeLessThan(0.72);
    now = 11;
    expect(all.reduce((sum, client) => sum + client.requests(), 0)).toBe(0);
  });

  it("begins for a user who had no call in it with the first call of the trial", () => {
    const { all, policies } = clients(10);
    const rare = { ...PLAN, arrival: { law: "poisson", rate: { kind: "constant", rps: 0.2 } } } as const;
    const aged = age(policies, { plan: rare });
    const silent = [...new Array(10).keys()].filter((user) => all[user] === undefined);
    expect(silent.length).toBeGreaterThan(0);
    for (const user of silent) expect((aged.policies(user, ZERO) as OverloadClient).requests()).toBe(0);
  });

  it("is lived once by a policy that all users of a process share", () => {
    const options = { scope: "process", window: 10 };
    const aged = age(seeded("sre", options));
    const [first, other] = [0, 7].map((user) => aged.policies(user, ZERO) as OverloadClient);
    expect(first).toBe(other);
    expect(first?.requests()).toBeGreaterThan(1650);
  });

  it("is each worker's for its own users, and together that of one worker", () => {
    const whole = age(clients().policies).age;
    const shards = [0, 1, 2].map((shard) => {
      const { all, policies } = clients();
      const { calls } = age(policies, { workers: 3 }, shard).age;
      expect(Object.keys(all).every((user) => Number(user) % 3 === shard)).toBe(true);
      return calls;
    });
    expect(shards.reduce((sum, calls) => sum + calls, 0)).toBe(whole.calls);
  });

  it("counts what a policy refuses of it: calls that overlap on a cold throttle", () => {
    const slow = { seconds: 60, latencySeconds: 0.9 };
    const past = age(seeded("sre", { window: 120 }), { age: slow }).age;
    expect(past.throttled).toBeGreaterThan(0);
    // facts/theory.md, 0.6: 3.6 % of the first minutes at 10 calls under way.
    expect(past.throttled / past.calls).toBeLessThan(0.2);
    expect(age(seeded("sre-completion", { window: 120 }), { age: slow }).age.throttled).toBe(0);
  });

  it("has deadlines that are met, as have the calls of the trial after it", async () => {
    const trial = await executeTrial(spec({ policy: { name: "sre", options: { deadline: 0.1 } } }), UNWATCHED);
    expect(trial.age?.throttled).toBeLessThan(5);
    expect(trial.calls.ok).toBe(trial.calls.planned);
  });

  it("is broken off when no trial is to follow", () => {
    const { policies } = clients();
    let asked = 0;
    const { age: past } = agedPolicies(spec({ age: { seconds: 600, latencySeconds: 0 } }), policies, {
      shard: 0,
      stopRequested: () => ++asked > 1,
    });
    expect(past.calls).toBeLessThan(60_000);
  });

  it("of no length is none", async () => {
    const trial = await executeTrial(trialSpec({ age: { seconds: 0, latencySeconds: 0 } }), UNWATCHED);
    expect(trial.age).toBeUndefined();
  });

  const ramp: PlanSpec = {
    ...PLAN,
    arrival: { law: "poisson", rate: { kind: "stages", stages: [{ seconds: 30, fromRps: 0, toRps: 10 }] } },
  };
  it.each<readonly [string, Partial<TrialSpec>, RegExp]>([
    [
      "longer than its answers",
      { age: { seconds: 1, latencySeconds: 1 } },
      /an answer must take less than the past \(1 s\)/,
    ],
    ["with answers that come in time", { age: { seconds: 10, latencySeconds: 2 } }, /than an attempt may \(1 s\)/],
    ["with answers after their requests", { age: { seconds: 10, latencySeconds: -1 } }, /current value is -1 s/],
    ["of a load that begins", { plan: ramp }, /begins at rate 0/],
    [
      "that can be waited for",
      { age: { seconds: 1e6, latencySeconds: 0 } },
      /at most 20000000 calls: current value is 200000000/,
    ],
  ])("must be one %s", (_what, change, message) => {
    expect(() => checkAge(spec(change))).toThrow(message);
    expect(() => age(clients().policies, change)).toThrow(RangeError);
  });
});

/** Lets policies live through a healthy trial, measured as any other. */
function liveThrough(plan: PlanSpec, policies: UserPolicies): void {
  const of = spec({ plan });
  const recorder = new Recorder(plan.users, 0, plan.durationSeconds);
  runVirtual(
    { kind: "virtual", model: { name: "bernoulli", accept: 1, latencySeconds: 0.004 } },
    0,
    { seed: plan.seed },
    (scheduler, events) =>
      new OpenLoop(
        { ...of, warmupSeconds: 0, durationSeconds: plan.durationSeconds },
        createPlan(plan).arrivals(),
        policies,
        new Classifier(of.overloadedOn, of.okOn),
        scheduler,
        recorder,
        events,
      ),
    { measuring() {}, poll() {} },
  );
}

describe("a past that is cut short", () => {
  it("says what was lived of it", () => {
    const whole = age(seeded("none"), { age: { ...AGE, seconds: 200 } }).age;
    let looks = 0;
    const cut = agedPolicies(spec({ age: { ...AGE, seconds: 200 } }), seeded("none"), {
      shard: 0,
      stopRequested: () => looks++ >= 1,
    }).age;
    expect(whole.seconds).toBe(200);
    expect(cut.seconds).toBeGreaterThan(0);
    expect(cut.seconds).toBeLessThan(200);
    // As many calls a second as in the whole of it.
    expect(Math.abs(cut.calls / cut.seconds / (whole.calls / whole.seconds) - 1)).toBeLessThan(0.1);
  });
});

describe("the onset of throttling", () => {
  const WINDOW = 20;
  /** An outage from the first measured second on, for clients that make 20 calls a second each. */
  const outage: Partial<TrialSpec> = {
    plan: { ...PLAN, durationSeconds: WINDOW },
    policy: { name: "sre", options: { window: WINDOW, k: 2, maxAttempts: 1 } },
    world: {
      kind: "virtual",
      model: { name: "bernoulli", accept: 1, latencySeconds: 0.005 },
      script: [{ kind: "capacity", fromSeconds: 0, toSeconds: WINDOW, factor: 0 }],
    },
  };
  /** The first second in which a tenth of the calls was throttled. */
  const onset = ({ series, warmup }: TrialResult): number =>
    series.findIndex(
      ({ second, offered, throttled }) => second >= (warmup?.seconds ?? 0) && throttled >= 0.1 * offered,
    ) - (warmup?.seconds ?? 0);

  it("is at once for cold clients, and W (1 - 1/K) later for aged ones, as for those with a real warm-up", async () => {
    const cold = onset(await executeTrial(trialSpec(outage), UNWATCHED));
    const aged = onset(
      await executeTrial(trialSpec({ ...outage, age: { seconds: 60, latencySeconds: 0.005 } }), UNWATCHED),
    );
    const plan = { ...PLAN, durationSeconds: WINDOW, warmupSeconds: 60 };
    const warm = onset(await executeTrial(trialSpec({ ...outage, plan }), UNWATCHED));
    expect(cold).toBe(0);
    // W (1 - 0.9 / K) = 11 s.
    expect(aged).toBeGreaterThanOrEqual(10);
    expect(aged).toBeLessThanOrEqual(12);
    expect(Math.abs(aged - warm)).toBeLessThanOrEqual(1);
  });
});
