import { describe, expect, it } from "vitest";
import { budgetPresets } from "../../../src/policy/budget/presets.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import { hedgePresets } from "../../../src/policy/hedge/presets.ts";

const DEFAULTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "sre-budget": { window: 120, retryRatio: 0.1, maxAttempts: 3 },
  "finagle-budget": {
    ttl: 10,
    minRetriesPerSec: 10,
    percentCanRetry: 0.2,
    maxAttempts: 3,
    backoffStart: 0.005,
    backoffMaximum: 0.2,
  },
  "linkerd-budget": { ttl: 10, minRetriesPerSecond: 10, retryRatio: 0.2, maxAttempts: 0 },
  "grpc-retry-throttling": {
    maxTokens: 10,
    tokenRatio: 0.1,
    maxAttempts: 4,
    initialBackoff: 0.1,
    maxBackoff: 1,
    backoffMultiplier: 2,
  },
  "aws-standard": {
    capacity: 500,
    retryCost: 5,
    timeoutRetryCost: 10,
    throttlingRetryCost: 5,
    noRetryIncrement: 1,
    maxAttempts: 3,
    baseBackoff: 1,
    maxBackoff: 20,
  },
  "brooker-token-bucket": { bucketSize: 5, depositPerSuccess: 0.1, depositPerCall: 0, maxAttempts: 4 },
  "envoy-budget": {
    budgetPercent: 20,
    minRetryConcurrency: 3,
    maxAttempts: 2,
    baseInterval: 0.025,
    maxInterval: 0.25,
  },
  "failsafe-go-budget": { maxRate: 0.2, minConcurrency: 3, maxAttempts: 3 },
  mongodb: { maxAttempts: 3, baseBackoff: 0.1, maxBackoff: 10 },
  hedge: { maxAttempts: 4, hedgingDelay: 0.5, maxTokens: 10, tokenRatio: 0.1 },
};

const presets = [...budgetPresets, ...hedgePresets];

describe("the presets of budgets and of hedging", () => {
  it("are these", () => {
    expect(presets.map(({ name }) => name)).toEqual(Object.keys(DEFAULTS));
  });

  it.each(presets.map((preset) => [preset.name, preset] as const))(
    "%s has its source's defaults and its lines",
    (name, preset) => {
      expect(resolvePreset(preset).options).toEqual(DEFAULTS[name]);
      for (const line of [preset.summary, preset.use, preset.fails, preset.source]) {
        expect(line.length).toBeGreaterThanOrEqual(10);
        expect(line.length).toBeLessThanOrEqual(200);
        expect(line).not.toMatch(/\.$|\n/);
      }
    },
  );

  it.each(presets.map((preset) => [preset.name, preset] as const))(
    "%s refuses each option that breaks its rule",
    (_name, preset) => {
      const { own } = resolvePreset(preset);
      expect(typeof preset.create(own)).toBe("function");
      for (const option of Object.keys(preset.options)) {
        expect(() => preset.create({ ...own, [option]: -1 })).toThrow(RangeError);
        expect(() => preset.create({ ...own, [option]: -1 })).toThrow(`'${option}'`);
      }
    },
  );
});
