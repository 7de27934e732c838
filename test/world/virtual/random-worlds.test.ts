/** Whatever the model, the network, the backends, the script and the policy: nothing gets lost, and nothing is left to chance. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DurationLaw, ModelSpec, TrialSpec, VirtualWorldSpec } from "../../../src/engine/trial-spec.ts";
import { formatScript, parseScript, type ScriptChange } from "../../../src/plan/script.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const millis = (min: number, max: number) => fc.integer({ min, max }).map((ms) => ms / 1000);

const law: fc.Arbitrary<DurationLaw> = fc.oneof(
  fc.record({ law: fc.constant("uniform" as const), fromSeconds: millis(0, 5), toSeconds: millis(6, 400) }),
  fc.record({ law: fc.constant("exponential" as const), meanSeconds: millis(1, 200) }),
  fc.record({ law: fc.constant("lognormal" as const), medianSeconds: millis(1, 20), p99Seconds: millis(21, 900) }),
);

const cold = fc.option(
  fc.record({
    coldCost: fc.constantFrom(1, 3, 10),
    warmJobs: fc.integer({ min: 1, max: 500 }),
    warmth: fc.constantFrom(0, 1),
  }),
  { nil: undefined },
);
/** Some of it may be cold. */
function orCold<Model extends ModelSpec>(warm: fc.Arbitrary<Model>): fc.Arbitrary<Model> {
  return fc.tuple(warm, cold).map(([model, start]) => (start === undefined ? model : { ...model, cold: start }));
}

const latencySeconds = fc.oneof(fc.constant(0), millis(0, 300));
const model: fc.Arbitrary<ModelSpec> = fc.oneof(
  orCold(
    fc.record({
      name: fc.constant("shed" as const),
      capacity: fc.integer({ min: 10, max: 400 }),
      burst: fc.integer({ min: 1, max: 20 }),
      rejectCost: fc.constantFrom(0, 0.3),
      work: fc.constantFrom("constant" as const, "exponential" as const),
      latencySeconds,
    }),
  ),
  orCold(
    fc.record({
      name: fc.constant("fifo" as const),
      workers: fc.integer({ min: 1, max: 4 }),
      serviceSeconds: fc.oneof(millis(1, 60), law),
      queueMax: fc.constantFrom(0, 3, 1000),
      latencySeconds,
    }),
  ),
  fc.record({
    name: fc.constant("slope" as const),
    baseSeconds: millis(0, 50),
    slopeSeconds: millis(0, 20),
    latencySeconds,
  }),
  fc.record({ name: fc.constant("bernoulli" as const), accept: fc.constantFrom(0, 0.3, 0.9, 1), latencySeconds }),
  orCold(
    fc.record({
      name: fc.constant("worker" as const),
      acceptSeconds: millis(1, 20),
      rejectSeconds: millis(0, 5),
      queueMax: fc.integer({ min: 1, max: 50 }),
      latencySeconds,
    }),
  ),
);

const change = (backends: number): fc.Arbitrary<ScriptChange> =>
  fc
    .record({
      from: fc.integer({ min: 0, max: 20 }),
      length: fc.integer({ min: 1, max: 15 }),
      what: fc.constantFrom(
        "outage",
        "capacity=0.25",
        "capacity=3",
        "capacity=0.1..2",
        "latency=200ms",
        "retryAfter=1s",
      ),
      where: fc.oneof(
        fc.constant(""),
        fc.integer({ min: 1, max: backends }).map((number) => `@${number}`),
      ),
    })
    .map(
      ({ from, length, what, where }) =>
        parseScript(`${from / 10}s..${(from + length) / 10}s:${what}${where}`)[0] as ScriptChange,
    );

/** Changes that can be together. */
function compatible(changes: readonly ScriptChange[]): readonly ScriptChange[] {
  const chosen: ScriptChange[] = [];
  for (const next of changes) {
    try {
      parseScript(formatScript([...chosen, next]));
      chosen.push(next);
    } catch {
      // It overlaps with one that is there.
    }
  }
  return chosen;
}

const world: fc.Arbitrary<VirtualWorldSpec> = fc
  .record({
    model,
    network: fc.option(law, { nil: undefined }),
    count: fc.integer({ min: 1, max: 5 }),
    balance: fc.constantFrom("round-robin" as const, "least-loaded" as const, "pinned" as const),
  })
  .chain(({ model, network, count, balance }) =>
    fc.array(change(count), { maxLength: 4 }).map((changes) => ({
      kind: "virtual" as const,
      model,
      ...(network === undefined ? {} : { network }),
      backends: { count, balance },
      script: compatible(changes),
    })),
  );

const policy = fc.constantFrom(
  { name: "none", options: {} },
  { name: "retry", options: { maxAttempts: 3 } },
  { name: "sre", options: { window: 1 } },
  { name: "sre-sent-only", options: { window: 1 } },
  { name: "backoff-full", options: {} },
  { name: "hedge", options: { hedgingDelay: 0.05 } },
);

const spec: fc.Arbitrary<TrialSpec> = fc
  .record({ world, policy, timeoutSeconds: millis(50, 400), seed: fc.integer({ min: 0, max: 1000 }) })
  .map(({ seed, ...rest }) =>
    trialSpec({
      ...rest,
      drainSeconds: 1,
      plan: {
        seed,
        arrival: { law: "poisson", rate: { kind: "constant", rps: 150 } },
        warmupSeconds: 1,
        durationSeconds: 3,
        users: 10,
      },
    }),
  );

describe("any virtual world", () => {
  it("accounts for every call and attempt, and gives the same trial again, to the last bit", async () => {
    await fc.assert(
      fc.asyncProperty(spec, async (given) => {
        // Conservation is checked at the end of every trial: a breach throws.
        const first = await executeTrial(given, UNWATCHED);
        const { planned, ...outcomes } = first.calls;
        expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(planned);
        expect({ ...(await executeTrial(given, UNWATCHED)), startedAt: "" }).toEqual({ ...first, startedAt: "" });
      }),
      { numRuns: 60 },
    );
  });

  it("ends the same on every runtime, with every law and a script", async () => {
    const trial = await executeTrial(
      trialSpec({
        policy: { name: "sre", options: { window: 2 } },
        timeoutSeconds: 0.1,
        world: {
          kind: "virtual",
          model: {
            name: "fifo",
            workers: 2,
            serviceSeconds: { law: "exponential", meanSeconds: 0.01 },
            queueMax: 20,
            latencySeconds: 0.001,
          },
          network: { law: "lognormal", medianSeconds: 0.005, p99Seconds: 0.05 },
          backends: { count: 3, balance: "least-loaded" },
          script: parseScript("3s..4s:capacity=0.25,5s..6s:outage@2,7s..8s:latency=50ms,0s..:retryAfter=1s"),
        },
      }),
      UNWATCHED,
    );
    const { calls, attempts, latency } = trial;
    const { p50Ms, p99Ms, maxMs } = latency.response.ok ?? {};
    expect({ calls, sent: attempts.sent, accepted: attempts.accepted, p50Ms, p99Ms, maxMs }).toMatchObject({
      calls: { planned: 9916, ok: 2988, throttled: 5250, budget: 1621, failed: 57, unfinished: 0 },
      sent: 5461,
      accepted: 2988,
      p50Ms: 54.047,
      p99Ms: 190.975,
      maxMs: 297.25,
    });
  });
});
