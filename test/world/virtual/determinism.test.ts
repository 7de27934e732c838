import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ModelSpec, TrialSpec, VirtualWorldSpec } from "../../../src/engine/trial-spec.ts";
import { Fingerprint } from "../../../src/plan/fingerprint.ts";
import type { PlanSpec } from "../../../src/plan/plan.ts";
import { parseScript } from "../../../src/plan/script.ts";
import { policyPresets, resolvePolicy } from "../../../src/policy/catalogue.ts";
import type { TrialResult } from "../../../src/result/schema.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const GOLDEN = "../../golden/determinism";
const SHED: ModelSpec = { name: "shed", capacity: 100, burst: 10, rejectCost: 0.3, latencySeconds: 0 };

const world = (model: ModelSpec, more: Partial<VirtualWorldSpec> = {}): Pick<TrialSpec, "world"> => ({
  world: { kind: "virtual", model, ...more },
});
const plan = (change: Partial<PlanSpec>): Pick<TrialSpec, "plan"> => ({
  plan: {
    seed: 11,
    arrival: { law: "poisson", rate: { kind: "constant", rps: 300 } },
    warmupSeconds: 0,
    durationSeconds: 8,
    users: 20,
    ...change,
  },
});
const policy = (name: string, options: Record<string, number | string> = {}): Pick<TrialSpec, "policy"> => ({
  policy: { name, options: resolvePolicy(name, options).options },
});

/** Every model, law of arrivals and of durations, kind of change, and part of a policy is in one of them. */
const TRIALS: Readonly<Record<string, Partial<TrialSpec>>> = {
  "shed, sre": { ...plan({ users: 500 }), ...policy("sre", { window: 5 }) },
  "shed with a script behind a random network, sre": {
    ...plan({ warmupSeconds: 2 }),
    ...policy("sre", { window: 3, k: 1.5 }),
    ...world(
      { ...SHED, capacity: 300, latencySeconds: 0.003, retryAfterSeconds: 1 },
      {
        network: { law: "lognormal", medianSeconds: 0.005, p99Seconds: 0.04 },
        script: parseScript("1s..3s:capacity=0.25,3s..4s:outage,5s..6s:latency=80ms,4s..:retryAfter=2s"),
      },
    ),
  },
  "shed of random work, criticalities and a curved probability": {
    ...plan({
      arrival: { law: "bursty", rate: { kind: "constant", rps: 300 }, peak: 4, share: 0.1, burstSeconds: 0.5 },
    }),
    ...policy("sre-throttle", { window: 5, aggression: 1.7, startJitter: 2 }),
    ...world({ ...SHED, work: "exponential", reserve: 0.1 }),
    criticality: [0.1, 0.4, 0.3, 0.2],
  },
  "fifo of random services with a bounded queue, random backoffs": {
    ...plan({ arrival: { law: "constant", rate: { kind: "sine", lowRps: 20, highRps: 250, periodSeconds: 4 } } }),
    ...policy("backoff-decorrelated"),
    ...world({
      name: "fifo",
      workers: 3,
      serviceSeconds: { law: "exponential", meanSeconds: 0.02 },
      queueMax: 100,
      latencySeconds: 0.001,
    }),
    timeoutSeconds: 0.4,
  },
  "three fifo backends, the least loaded first, a budget": {
    ...plan({
      arrival: {
        law: "poisson",
        rate: {
          kind: "stages",
          stages: [
            { seconds: 3, fromRps: 100, toRps: 400 },
            { seconds: 5, fromRps: 400, toRps: 50 },
          ],
        },
      },
    }),
    ...policy("grpc-retry-throttling"),
    ...world(
      { name: "fifo", workers: 1, serviceSeconds: 0.01, latencySeconds: 0 },
      {
        backends: { count: 3, balance: "least-loaded" },
        network: { law: "uniform", fromSeconds: 0.001, toSeconds: 0.009 },
        script: parseScript("2s..4s:capacity=0.2@2"),
      },
    ),
    timeoutSeconds: 0.2,
  },
  "slope, hedged copies": {
    ...plan({}),
    ...policy("hedge", { hedgingDelay: 0.08 }),
    ...world(
      { name: "slope", baseSeconds: 0.02, slopeSeconds: 0.002, latencySeconds: 0 },
      { network: { law: "exponential", meanSeconds: 0.03 } },
    ),
  },
  "bernoulli, a breaker": {
    ...plan({}),
    ...policy("resilience4j"),
    ...world(
      { name: "bernoulli", accept: 0.6, latencySeconds: 0.02 },
      { script: parseScript("2s..3s:outage"), backends: { count: 2, balance: "pinned" } },
    ),
  },
  "worker, a limiter": {
    ...plan({ arrival: { law: "constant", rate: { kind: "constant", rps: 300 } } }),
    ...policy("aws-adaptive"),
    ...world({ name: "worker", acceptSeconds: 0.005, rejectSeconds: 0.001, queueMax: 20, latencySeconds: 0.002 }),
  },
  "a cold shed with a ramp, sre": {
    ...plan({ warmupSeconds: 1 }),
    ...policy("sre", { window: 3 }),
    ...world(
      { ...SHED, capacity: 300, work: "exponential", cold: { coldCost: 3, warmJobs: 500, warmth: 0.3 } },
      { script: parseScript("1s..3s:capacity=0.3..1.1,4s..5s:outage") },
    ),
  },
  "a cold fifo of random services with a ramp, plain retries": {
    ...plan({}),
    ...policy("retry"),
    ...world(
      {
        name: "fifo",
        workers: 3,
        serviceSeconds: { law: "lognormal", medianSeconds: 0.004, p99Seconds: 0.02 },
        latencySeconds: 0.001,
        cold: { coldCost: 7, warmJobs: 300, warmth: 0 },
      },
      { script: parseScript("2s..3s:outage,3s..7s:capacity=0.7..1.3") },
    ),
    timeoutSeconds: 0.3,
  },
  "a cold worker with a ramp, backoffs": {
    ...plan({}),
    ...policy("backoff-full"),
    ...world(
      {
        name: "worker",
        acceptSeconds: 0.003,
        rejectSeconds: 0.001,
        queueMax: 20,
        latencySeconds: 0.002,
        cold: { coldCost: 3.3, warmJobs: 700, warmth: 1 },
      },
      { script: parseScript("1s..2s:outage,3s..6s:capacity=1..0.3") },
    ),
  },
  "a recording, Retry-After heeded": {
    ...plan({
      arrival: {
        law: "replay",
        timesSeconds: Float64Array.from({ length: 2000 }, (_, i) => (i * 4) / 1000 - (i % 7) * 0.0001 + 0.001),
        owners: undefined,
      },
    }),
    ...policy("retry", { retryAfter: "client" }),
    ...world({ ...SHED, retryAfterSeconds: 1 }),
  },
};

/** What every preset meets: a backend that is fast, then slow and rejecting, then out, then well. */
const ALL_PRESETS: Partial<TrialSpec> = {
  ...plan({ users: 2, durationSeconds: 12, arrival: { law: "poisson", rate: { kind: "constant", rps: 200 } } }),
  ...world(
    { ...SHED, capacity: 400, latencySeconds: 0.01 },
    {
      network: { law: "exponential", meanSeconds: 0.01 },
      script: parseScript("2s..5s:capacity=0.2,2s..5s:latency=270ms,6s..8s:outage"),
    },
  ),
  timeoutSeconds: 0.3,
};

/** One line of text for a trial: what it came to, and a hash of all that stands in its record. */
async function lineOf(name: string, change: Partial<TrialSpec>): Promise<string> {
  const trial = await executeTrial(trialSpec(change), UNWATCHED);
  const { planned, ok } = trial.calls;
  expect(planned).toBeGreaterThan(500);
  return `${hashOf(trial)}  ${name}: ${planned} calls, ${ok} ok, ${trial.attempts.sent} sent\n`;
}

/** Runtimes compress differently, so a histogram counts with what it holds. */
function hashOf(trial: TrialResult): string {
  const text = JSON.stringify({ ...trial, startedAt: "" }, (key, value: unknown) =>
    key === "hdr" && typeof value === "string" ? heldBy(value) : value,
  );
  const hash = new Fingerprint();
  hash.addText(text);
  return hash.digest();
}

/** The V2 format of HdrHistogram: a cookie and a length of four bytes each, then the counts, compressed by zlib. */
function heldBy(hdr: string): string {
  return hdr === "" ? "" : inflateSync(Buffer.from(hdr, "base64").subarray(8)).toString("hex");
}

describe("the virtual world: the same seed gives the same result, bit for bit, on every runtime", () => {
  it("with every model, law and kind of change", async () => {
    let text = "";
    for (const [name, change] of Object.entries(TRIALS)) text += await lineOf(name, change);
    await expect(text).toMatchFileSnapshot(`${GOLDEN}/trials.txt`);
  });

  it("with every policy", async () => {
    let text = "";
    for (const { name } of policyPresets) text += await lineOf(name, { ...ALL_PRESETS, ...policy(name) });
    await expect(text).toMatchFileSnapshot(`${GOLDEN}/policies.txt`);
  });

  it("and another seed gives another one", async () => {
    const hashes = new Set<string>();
    for (const seed of [1, 2, 3]) hashes.add(hashOf(await executeTrial(trialSpec(plan({ seed })), UNWATCHED)));
    expect(hashes.size).toBe(3);
  });
});
