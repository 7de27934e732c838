import { describe, expect, it } from "vitest";
import { checkWorkers, shardSpec } from "../../src/engine/shard.ts";
import type { GovernorSpec, TrialSpec } from "../../src/engine/trial-spec.ts";
import { PLAIN_CONNECTIONS, trialSpec } from "../support/trial-spec.ts";

const GOVERNOR: GovernorSpec = {
  control: "concurrency",
  high: 0.05,
  low: 0.01,
  floor: 1,
  ceiling: 50,
  start: 1,
  windowSeconds: 2,
  holdWindows: 12,
  holdBand: 0.15,
};

function governed(change: Partial<GovernorSpec>, rest: Partial<TrialSpec> = {}): TrialSpec {
  return trialSpec({ governor: { ...GOVERNOR, ...change }, ...rest });
}

const { plan } = trialSpec();

describe("a trial under the governor", () => {
  it.each([
    ["a warm-up", governed({}, { plan: { ...plan, warmupSeconds: 1 } }), "'warmupSeconds' must be 0"],
    [
      "more fibres than users",
      governed({ ceiling: 51 }),
      "'ceiling' must be at most the number of users (50), one for each fibre: current value is 51",
    ],
    ["fibres without a bound", governed({ ceiling: Number.POSITIVE_INFINITY }), "'ceiling'"],
    ["a hold of one window", governed({ holdWindows: 1 }), "'holdWindows'"],
    ["half a window", governed({ holdWindows: 2.5 }), "'holdWindows'"],
    ["a band below 0", governed({ holdBand: -0.1 }), "'holdBand'"],
    ["a bound that is no share", governed({ high: 2 }), "'high'"],
    ["an empty window", governed({ windowSeconds: 0 }), "'window'"],
    [
      "bursts, which do not follow an offer",
      governed(
        { control: "rate" },
        {
          plan: {
            ...plan,
            arrival: { law: "bursty", rate: { kind: "constant", rps: 10 }, peak: 2, share: 0.1, burstSeconds: 1 },
          },
        },
      ),
      "'arrival' must be constant or poisson",
    ],
  ])("refuses %s", (_, spec, rule) => {
    expect(() => checkWorkers(spec)).toThrow(RangeError);
    expect(() => checkWorkers(spec)).toThrow(rule);
  });

  it("cannot be split over workers", () => {
    const world = {
      kind: "real",
      url: "http://127.0.0.1:1",
      method: "GET",
      headers: [],
      body: undefined,
      pacing: "timer",
      sentinelUrl: undefined,
      connections: PLAIN_CONNECTIONS,
    } as const;
    expect(() => checkWorkers(governed({}, { workers: 2, world }))).toThrow("Cannot govern as 'workers' must be 1");
    expect(() => checkWorkers(governed({}, { world }))).not.toThrow();
  });

  it("may be asked for any rate, and is the same in its only worker", () => {
    const spec = governed({ control: "rate", ceiling: Number.POSITIVE_INFINITY });
    expect(() => checkWorkers(spec)).not.toThrow();
    expect(shardSpec(spec, 0).governor).toEqual(spec.governor);
  });
});
