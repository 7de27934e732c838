/**
 * The engine against the closed forms of adaptive throttling, in the virtual world: 50 users, 1,000 calls/s, capacity 100/s,
 * window 10 s; the first 60 s are left out. With latency: a healthy server and cold clients.
 */

import { describe, expect, it } from "vitest";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const CAPACITY = 100;
const OFFERED = 1000;
const TRANSIENT_SECONDS = 60;

async function overload(policy: string, options: Record<string, number>, rps = OFFERED, users = 50) {
  const trial = await executeTrial(
    trialSpec({
      plan: {
        seed: 1,
        arrival: { law: "poisson", rate: { kind: "constant", rps } },
        warmupSeconds: 0,
        durationSeconds: 300,
        users,
      },
      policy: { name: policy, options: { window: 10, ...options } },
      world: {
        kind: "virtual",
        model: { name: "shed", capacity: CAPACITY, burst: 10, rejectCost: 0, latencySeconds: 0 },
      },
    }),
    UNWATCHED,
  );
  const rows = trial.series.slice(TRANSIENT_SECONDS);
  const mean = (column: "sent" | "accepted"): number => rows.reduce((sum, row) => sum + row[column], 0) / rows.length;
  return { sent: mean("sent"), accepted: mean("accepted") };
}

/** Calls throttled per user in 180 s of a cold start against a server that refuses nothing. */
async function coldStart(rate: number, latencySeconds: number, options: Record<string, number>) {
  const users = 100;
  const trial = await executeTrial(
    trialSpec({
      plan: {
        seed: 1,
        arrival: { law: "poisson", rate: { kind: "constant", rps: users * rate } },
        warmupSeconds: 0,
        durationSeconds: 180,
        users,
      },
      policy: { name: "sre-throttle", options },
      timeoutSeconds: 30,
      world: {
        kind: "virtual",
        model: { name: "shed", capacity: 1e6, burst: 1e6, rejectCost: 0, latencySeconds },
      },
    }),
    UNWATCHED,
  );
  return trial.calls.throttled / users;
}

const within = (share: number, value: number, expected: number): void =>
  expect(Math.abs(value / expected - 1)).toBeLessThan(share);

describe("the engine with local rejects counted", () => {
  it.each([1.25, 1.5, 2, 3])("sends K times what is accepted, within a twentieth: K = %d", async (k) => {
    within(0.05, (await overload("sre-throttle", { k })).sent, k * CAPACITY);
  });

  it.each(["sre-throttle", "sre-completion", "sre-criticality"])(
    "sends the same at 5 and at 20 times the capacity: %s",
    async (policy) => {
      within(
        0.05,
        (await overload(policy, { k: 2 }, 20 * CAPACITY)).sent,
        (await overload(policy, { k: 2 }, 5 * CAPACITY)).sent,
      );
    },
  );
});

describe("the engine with only what is sent counted", () => {
  it.each([
    [1.25, 0],
    [1.5, 1],
    [2, 2],
    [3, 1],
  ])("sends sqrt(K x offered x accepted), within a twentieth: K = %d, countAt = %i", async (k, countAt) => {
    const { sent, accepted } = await overload("sre-throttle", { k, countLocal: 0, countAt });
    within(0.05, sent, Math.sqrt(k * OFFERED * accepted));
  });

  it("sends with the square root of what is offered: a slope of 1/2 from 2.5 to 20 times the capacity", async () => {
    const { sent: few } = await overload("sre-throttle", { k: 2, countLocal: 0, countAt: 1 }, 2.5 * CAPACITY, 10);
    const { sent: many } = await overload("sre-throttle", { k: 2, countLocal: 0, countAt: 1 }, 20 * CAPACITY, 10);
    expect(Math.abs(Math.log2(many / few) / 3 - 0.5)).toBeLessThan(0.03);
  });

  it("sends at least 1 - maxReject of anything", async () => {
    const offered = 100 * CAPACITY;
    const { sent } = await overload("sre-throttle", { k: 2, countLocal: 0, countAt: 1, maxReject: 0.8 }, offered, 10);
    within(0.05, sent, 0.2 * offered);
  });
});

describe("a cold client of a healthy server", () => {
  it.each([
    [10, 0.2, 4.4, 0.5],
    [10, 1, 64, 0.15],
    [10, 3, 419, 0.1],
    [50, 0.2, 70, 0.15],
  ])(
    "throttles itself when it counts at the attempt: %d/s, %d s of latency: about %d calls",
    async (rate, latency, calls, share) => {
      within(share, await coldStart(rate, latency, { countAt: 0 }), calls);
    },
  );

  it.each([
    [1, 0.2],
    [1, 3],
    [2, 0.2],
    [2, 3],
  ])("throttles nothing when it counts otherwise: countAt = %i, %d s of latency", async (countAt, latency) => {
    expect(await coldStart(10, latency, { countAt })).toBe(0);
  });
});
