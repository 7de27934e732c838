import type { ArrivalSpec, BurstyArrivalSpec, ReplaySpec } from "../../src/plan/load.ts";

export function constant(rps: number): ArrivalSpec {
  return { law: "constant", rate: { kind: "constant", rps } };
}

export function poisson(rps: number): ArrivalSpec {
  return { law: "poisson", rate: { kind: "constant", rps } };
}

export function bursty(rps: number): BurstyArrivalSpec {
  return { law: "bursty", rate: { kind: "constant", rps }, peak: 5, share: 0.1, burstSeconds: 0.5 };
}

export function replay(times: readonly number[], owners?: readonly number[]): ReplaySpec {
  return {
    law: "replay",
    timesSeconds: Float64Array.from(times),
    owners: owners === undefined ? undefined : Uint32Array.from(owners),
  };
}

/** One load of each law, about 2,000 arrivals per second for 30 s. */
export const LAWS: [string, ArrivalSpec][] = [
  ["constant", constant(2_000)],
  ["poisson", poisson(2_000)],
  ["bursty", bursty(2_000)],
  ["sine", { law: "poisson", rate: { kind: "sine", lowRps: 1_000, highRps: 3_000, periodSeconds: 4 } }],
  ["replay", replay(Array.from({ length: 60_000 }, (_, i) => i / 2_000))],
];
