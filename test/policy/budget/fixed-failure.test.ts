import { describe, expect, it } from "vitest";
import { baselinePresets } from "../../../src/policy/baseline-presets.ts";
import { budgetPresets } from "../../../src/policy/budget/presets.ts";
import { driveFixedFailure } from "./fixed-failure.ts";
import { named } from "./one-call.ts";

const presets = [...baselinePresets, ...budgetPresets];
const FAILURES = [0.1, 0.3, 0.5, 0.9, 1] as const;
const BAND = 0.01;

interface Column {
  readonly preset: string;
  readonly options?: Readonly<Record<string, number>>;
  readonly attempts: readonly number[];
  readonly ok: readonly number[];
}

/** Attempts and successes per call after a warm-up, by failure share, of a client with 10 calls/s. */
const COLUMNS: Readonly<Record<string, Column>> = {
  none: { preset: "none", attempts: [1, 1, 1, 1, 1], ok: [0.9, 0.7, 0.5, 0.1, 0] },
  "three retries": {
    preset: "retry",
    options: { maxAttempts: 4 },
    attempts: [1.11, 1.42, 1.88, 3.44, 4],
    ok: [1, 0.99, 0.94, 0.34, 0],
  },
  "a tenth of a token per call": {
    preset: "brooker-token-bucket",
    options: { depositPerCall: 0.1, depositPerSuccess: 0 },
    attempts: [1.094, 1.1, 1.1, 1.1, 1.1],
    ok: [0.98, 0.77, 0.55, 0.11, 0],
  },
  "a tenth of a token per success": {
    preset: "brooker-token-bucket",
    attempts: [1.092, 1.075, 1.053, 1.01, 1],
    ok: [0.98, 0.75, 0.53, 0.1, 0],
  },
  "gRPC 10/.1": {
    preset: "grpc-retry-throttling",
    attempts: [1.02, 1, 1, 1, 1],
    ok: [0.92, 0.7, 0.5, 0.1, 0],
  },
  "AWS 500/5": {
    preset: "aws-standard",
    attempts: [1.11, 1.39, 1.2, 1.02, 1],
    ok: [1, 0.97, 0.6, 0.1, 0],
  },
  "AWS 500/14": {
    preset: "aws-standard",
    options: { retryCost: 14, timeoutRetryCost: 14 },
    attempts: [1.11, 1.17, 1.07, 1.01, 1],
    ok: [1, 0.81, 0.53, 0.1, 0],
  },
  "Finagle .2": {
    preset: "finagle-budget",
    options: { minRetriesPerSec: 0, maxAttempts: 4 },
    attempts: [1.11, 1.19, 1.19, 1.2, 1.2],
    ok: [1, 0.83, 0.6, 0.12, 0],
  },
  // Not 0.2 + 10/10 in an outage: a slice is closed by the first look after its second, 0.1 s late on average, so that the
  // reserve of 100 comes back in 11 s: 0.2 + 100 / (10 x 11).
  "Finagle .2 + 10/s": {
    preset: "finagle-budget",
    options: { maxAttempts: 4 },
    attempts: [1.11, 1.42, 1.87, 2.1, 2.1],
    ok: [1, 0.99, 0.935, 0.21, 0],
  },
  "SRE 10 %": {
    preset: "sre-budget",
    attempts: [1.104, 1.11, 1.11, 1.11, 1.11],
    ok: [0.99, 0.78, 0.555, 0.11, 0],
  },
};

describe.each(Object.entries(COLUMNS))("a fixed failure share with %s", (_name, column) => {
  it.each(FAILURES.map((failure, row) => [failure, column.attempts[row] as number, column.ok[row] as number]))(
    "of %f gives %f attempts and %f successes per call",
    (failure, attempts, ok) => {
      const figures = driveFixedFailure({
        preset: named(presets, column.preset),
        options: column.options,
        failure,
        callsPerSecond: 10,
        calls: 100_000,
        warmUpCalls: 10_000,
        seed: 5,
      });
      expect(Math.abs(figures.attempts - attempts)).toBeLessThanOrEqual(BAND);
      expect(Math.abs(figures.ok - ok)).toBeLessThanOrEqual(BAND);
    },
  );
});

describe("the minimum a second of a budget in an outage", () => {
  const outage = { failure: 1, calls: 50_000, warmUpCalls: 10_000, seed: 5 } as const;

  it("is minRetriesPerSec for Finagle when its slices are closed on time, percentCanRetry on top", () => {
    const figures = driveFixedFailure({
      ...outage,
      preset: named(presets, "finagle-budget"),
      options: { maxAttempts: 4 },
      callsPerSecond: 8,
      arrivals: "constant",
    });
    expect(Math.abs(figures.attempts - (1 + 0.2 + 10 / 8))).toBeLessThanOrEqual(BAND);
  });

  it.each([100, 1000])(
    "is 10 / 0.6 for Linkerd at %i calls/s, and percentCanRetry adds nothing to it",
    (callsPerSecond) => {
      const figures = driveFixedFailure({ ...outage, preset: named(presets, "linkerd-budget"), callsPerSecond });
      const slotSeconds = 1 + 1 / callsPerSecond;
      expect(Math.abs(figures.attempts - (1 + 100 / (6 * slotSeconds) / callsPerSecond))).toBeLessThanOrEqual(BAND);
    },
  );

  it("leaves Linkerd a share of its answers: r (1 - f) / (1 - r (1 - f)) retries per call without the minimum", () => {
    const figures = driveFixedFailure({
      ...outage,
      failure: 0.5,
      preset: named(presets, "linkerd-budget"),
      options: { minRetriesPerSecond: 0 },
      callsPerSecond: 1000,
    });
    expect(Math.abs(figures.attempts - (1 + 0.1 / 0.9))).toBeLessThanOrEqual(BAND);
  });
});

describe("mongodb", () => {
  it("has no budget: three attempts of everything in an outage", () => {
    const figures = driveFixedFailure({
      preset: named(presets, "mongodb"),
      failure: 1,
      callsPerSecond: 10,
      calls: 1000,
      warmUpCalls: 100,
      seed: 5,
    });
    expect(figures.attempts).toBeGreaterThan(2.98);
    expect(figures.attempts).toBeLessThanOrEqual(3);
  });
});
