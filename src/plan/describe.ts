/** A load in the words of the flags that make it, for result files and reports. */

import type { ArrivalSpec, RateSpec, Stage } from "./load.ts";
import { averageRps, highestRps } from "./load-rate.ts";
import type { PlanSpec } from "./plan.ts";
import { busiestSecond, countBefore } from "./replay-schedule.ts";
import { formatDuration } from "./units.ts";

/** The law with its options: `poisson`, `bursty,peak=5,share=0.1,burst=500ms`, `replay`. */
export function describeArrival(arrival: ArrivalSpec): string {
  if (arrival.law !== "bursty") return arrival.law;
  return `bursty,peak=${arrival.peak},share=${arrival.share},burst=${formatDuration(arrival.burstSeconds)}`;
}

/**
 * The rate over the measured window: `400/s`, `10s@500,20s@500..2000`, `500..1500,period=1m`; of a replay, which has no
 * flag for it, the mean, to three decimals.
 */
export function describeRate(spec: PlanSpec): string {
  const { arrival } = spec;
  return arrival.law === "replay" ? `${Math.round(meanRps(spec) * 1e3) / 1e3}/s` : rateText(arrival.rate);
}

/** Mean arrivals per second to be expected over the measured window. */
export function meanRps({ arrival, warmupSeconds, durationSeconds }: PlanSpec): number {
  if (arrival.law !== "replay") return averageRps(arrival.rate, durationSeconds);
  const { timesSeconds } = arrival;
  const measured =
    countBefore(timesSeconds, warmupSeconds + durationSeconds) - countBefore(timesSeconds, warmupSeconds);
  return measured / durationSeconds;
}

/**
 * The highest arrivals per second that the law and the rate come to, for bounds such as connections and files: a rate,
 * about which chance does what it does; of a replay the most arrivals in any one second.
 */
export function peakRps({ arrival, warmupSeconds, durationSeconds }: PlanSpec): number {
  switch (arrival.law) {
    case "constant":
    case "poisson":
      return highestRps(arrival.rate);
    case "bursty":
      return arrival.peak * highestRps(arrival.rate);
    case "replay": {
      const { timesSeconds } = arrival;
      return busiestSecond(timesSeconds, countBefore(timesSeconds, warmupSeconds + durationSeconds));
    }
    default:
      return arrival satisfies never;
  }
}

function rateText(rate: RateSpec): string {
  switch (rate.kind) {
    case "constant":
      return `${rate.rps}/s`;
    case "stages":
      return rate.stages.map(stageText).join(",");
    case "sine":
      return `${rate.lowRps}..${rate.highRps},period=${formatDuration(rate.periodSeconds)}`;
    default:
      return rate satisfies never;
  }
}

function stageText({ seconds, fromRps, toRps }: Stage): string {
  return `${formatDuration(seconds)}@${fromRps === toRps ? fromRps : `${fromRps}..${toRps}`}`;
}
