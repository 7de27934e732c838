import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkWorkers, shardSpec } from "../../src/engine/shard.ts";
import type { RealWorldSpec, TrialSpec } from "../../src/engine/trial-spec.ts";
import { PLAIN_CONNECTIONS, trialSpec } from "../support/trial-spec.ts";

function realSpec(workers: number, maxInFlight: number, preopen: number): TrialSpec {
  const world: RealWorldSpec = {
    kind: "real",
    url: "http://127.0.0.1:1/",
    method: "GET",
    headers: [],
    body: undefined,
    pacing: "timer",
    sentinelUrl: undefined,
    connections: { ...PLAIN_CONNECTIONS, preopen },
  };
  return trialSpec({ workers, maxInFlight, world });
}

describe("shardSpec()", () => {
  it("divides the bounds so that they add up to the trial's, and leaves the rest as it is", () => {
    const bound = fc.integer({ min: 0, max: 1e6 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), bound, bound, (workers, maxInFlight, preopen) => {
        const spec = realSpec(workers, maxInFlight, preopen);
        const shards = Array.from({ length: workers }, (_, shard) => shardSpec(spec, shard));
        const inFlight = shards.map((shard) => shard.maxInFlight);
        const opened = shards.map((shard) => (shard.world as RealWorldSpec).connections.preopen);
        expect(inFlight.reduce((sum, share) => sum + share, 0)).toBe(maxInFlight);
        expect(opened.reduce((sum, share) => sum + share, 0)).toBe(preopen);
        expect(Math.max(...inFlight) - Math.min(...inFlight)).toBeLessThanOrEqual(1);
        expect({ ...shards[0], maxInFlight, world: spec.world }).toEqual(spec);
      }),
    );
  });
});

describe("checkWorkers()", () => {
  it.each<[string, TrialSpec, string]>([
    ["no worker", realSpec(0, 100, 0), "must be a positive whole number: current value is 0"],
    ["half a worker", realSpec(1.5, 100, 0), "must be a positive whole number: current value is 1.5"],
    ["more workers than users", realSpec(51, 100, 0), "must be at most the number of users (50)"],
    ["more workers than calls under way", realSpec(3, 2, 0), "must be at most the bound on calls under way (2)"],
    ["several workers in a simulation", trialSpec({ workers: 2 }), "must be 1 in a simulation"],
  ])("refuses %s, with the rule and the value", (_name, spec, message) => {
    expect(() => checkWorkers(spec)).toThrow(RangeError);
    expect(() => checkWorkers(spec)).toThrow(message);
  });

  it("accepts as many workers as users", () => {
    expect(() => checkWorkers(realSpec(50, 50, 0))).not.toThrow();
  });
});
