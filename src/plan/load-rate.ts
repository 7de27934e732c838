import type { RateSpec } from "./load.ts";
import { constantRate, type RateProfile } from "./rate-profile.ts";
import { sineRate } from "./sine-rate.ts";
import { stagedRate } from "./staged-rate.ts";

/** The profile of a rate over a measured window. */
export function rateProfile(rate: RateSpec, durationSeconds: number): RateProfile {
  switch (rate.kind) {
    case "constant":
      return constantRate(rate.rps, durationSeconds);
    case "stages":
      return stagedRate(rate.stages, durationSeconds);
    case "sine":
      return sineRate(rate.lowRps, rate.highRps, rate.periodSeconds, durationSeconds);
    default:
      return rate satisfies never;
  }
}

/** The rate at the beginning, in arrivals per second: that of a warm-up. */
export function firstRps(rate: RateSpec): number {
  switch (rate.kind) {
    case "constant":
      return rate.rps;
    case "stages":
      return rate.stages[0]?.fromRps ?? 0;
    case "sine":
      return (rate.lowRps + rate.highRps) / 2;
    default:
      return rate satisfies never;
  }
}

/** The highest rate that it reaches, in arrivals per second. */
export function highestRps(rate: RateSpec): number {
  switch (rate.kind) {
    case "constant":
      return rate.rps;
    case "stages":
      return rate.stages.reduce((highest, stage) => Math.max(highest, stage.fromRps, stage.toRps), 0);
    case "sine":
      return rate.highRps;
    default:
      return rate satisfies never;
  }
}

/** Mean arrivals per second over a measured window. */
export function averageRps(rate: RateSpec, durationSeconds: number): number {
  return rate.kind === "constant" ? rate.rps : rateProfile(rate, durationSeconds).meanArrivals / durationSeconds;
}
