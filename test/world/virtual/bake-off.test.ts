/**
 * What the policies do to a backend in the scenarios of test/support/bake-off.ts, on the engine: closed forms where there are
 * some, and for the storm the outcomes that a simulation of the same scenario by other means gave.
 */

import { describe, expect, it } from "vitest";
import { median } from "../../../src/stats/median.ts";
import { fixedFailure, lastingOverload, outageRecovery, stormRecovery } from "../../support/bake-off.ts";

/** Load per call and success when each attempt fails with the same probability: facts of the closed forms, +-0.01. */
describe("a backend that fails each attempt with probability f, whatever the load", () => {
  it.each([
    ["none", {}, 0.5, 1, 0.5],
    ["retry", { maxAttempts: 4 }, 0.3, 1.417, 0.992],
    ["retry", { maxAttempts: 4 }, 0.9, 3.439, 0.344],
    ["backoff-full", { maxAttempts: 4 }, 0.5, 1.875, 0.938],
    ["brooker-token-bucket", { depositPerCall: 0.1, depositPerSuccess: 0 }, 0.5, 1.1, 0.55],
    ["brooker-token-bucket", {}, 0.5, 1.053, 0.526],
    ["brooker-token-bucket", {}, 0.3, 1.075, 0.753],
    ["grpc-retry-throttling", {}, 0.3, 1, 0.7],
    ["breaker-retries-only", {}, 0.5, 1, 0.5],
    ["aws-standard", {}, 0.5, 1.2, 0.6],
    ["aws-standard", { retryCost: 14, timeoutRetryCost: 14 }, 0.3, 1.166, 0.816],
    ["sre-budget", {}, 0.3, 1.111, 0.778],
    ["sre-budget", {}, 0.9, 1.111, 0.111],
    ["finagle-budget", { minRetriesPerSec: 0, maxAttempts: 4 }, 0.5, 1.2, 0.6],
    // Retries stay below ratio x (answers that are not retried): r (1 - f) / (1 - r (1 - f)).
    ["linkerd-budget", { minRetriesPerSecond: 0 }, 0.5, 1.111, 0.556],
  ] as const)(
    "%s with %o and f = %d sends %d per call, of which %d come back ok",
    async (name, options, f, load, ok) => {
      const { amplification, success } = await fixedFailure({ name, options }, f, 400);
      expect(Math.abs(amplification - load)).toBeLessThan(0.01);
      expect(Math.abs(success - ok)).toBeLessThan(0.01);
    },
  );
});

describe("ten times the capacity, where a rejection costs three tenths of a call", () => {
  it.each(["none", "retry", "backoff-full", "sre-budget", "envoy-budget", "aws-standard", "grpc-retry-throttling"])(
    "%s leaves no goodput: budgets and backoffs bound retries, not calls",
    async (name) => {
      expect((await lastingOverload({ name, options: {} }, 60)).success).toBeLessThan(0.001);
    },
  );

  // C / (1 + r (K - 1)) of 1,000 calls: 0.0769 with K = 2.
  it.each(["sre", "sre-throttle", "sre-completion", "sre-criticality"])(
    "%s keeps C / (1 + r (K - 1))",
    async (name) => {
      const { success, waste } = await lastingOverload({ name, options: { window: 10 } }, 60);
      expect(Math.abs(success / (0.1 / 1.3) - 1)).toBeLessThan(0.05);
      expect(Math.abs(waste - 0.5)).toBeLessThan(0.03);
    },
  );
});

const SEEDS = [1, 2, 3, 4, 5];

async function storms(name: string, options: Record<string, number | string>, users: number, warmupSeconds: number) {
  const recoveries: (number | undefined)[] = [];
  for (const seed of SEEDS) {
    recoveries.push(await stormRecovery({ name, options }, { users, seed, warmupSeconds }, 120));
  }
  return recoveries;
}

describe("a retry storm: 50/s on a FIFO server of 160/s that is four times slower for 3 s, four attempts of 0.2 s", () => {
  it.each([
    ["retry", { maxAttempts: 4 }, 1, 20],
    ["retry", { maxAttempts: 4 }, 50, 20],
    ["backoff-full", { maxAttempts: 4 }, 50, 20],
    ["finagle-budget", { maxAttempts: 4 }, 50, 20],
  ] as const)("%s with %o and %d clients never comes back", async (name, options, users, warmupSeconds) => {
    expect(await storms(name, options, users, warmupSeconds)).toEqual(SEEDS.map(() => undefined));
  });

  it.each([
    ["none", {}, 50, 20, 1],
    ["sre-budget", { maxAttempts: 4, window: 10 }, 50, 20, 4],
    ["sre", { maxAttempts: 4, window: 10 }, 50, 40, 12],
    ["grpc-retry-throttling", { maxAttempts: 4 }, 50, 20, 4],
    ["aws-standard", { maxAttempts: 4 }, 1, 20, 4],
    ["finagle-budget", { maxAttempts: 4 }, 1, 20, 5],
    ["finagle-budget", { maxAttempts: 4, scope: "process" }, 50, 20, 5],
    ["finagle-budget", { maxAttempts: 4, minRetriesPerSec: 0 }, 50, 20, 4],
    ["breaker-retries-only", { maxAttempts: 4 }, 50, 20, 8],
  ] as const)("%s with %o and %d clients is over within seconds", async (name, options, users, warmupSeconds, most) => {
    for (const recovery of await storms(name, options, users, warmupSeconds)) {
      expect(recovery).toBeLessThanOrEqual(most);
    }
  });

  it("aws-standard takes longer with 50 clients than with one: each has 100 free retries", async () => {
    const typical = async (users: number) => {
      const recoveries = await storms("aws-standard", { maxAttempts: 4 }, users, 20);
      return median(recoveries.map((recovery) => recovery ?? Number.POSITIVE_INFINITY));
    };
    expect(await typical(50)).toBeGreaterThan(5 * Math.max(1, await typical(1)));
  });
});

describe("an outage of two windows of 10 s", () => {
  it("costs counted local rejects several times the recovery of uncounted ones", async () => {
    const recovery = async (name: string) =>
      (await outageRecovery({ name, options: { window: 10 } }, { seed: 1, warmupSeconds: 30 }, 20, 300)) as number;
    const [counted, uncounted] = [await recovery("sre-throttle"), await recovery("sre-sent-only")];
    expect(counted).toBeGreaterThan(5 * Math.max(1, uncounted));
  });
});
