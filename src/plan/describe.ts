/** A load in the words of the flags that make it, for result files and reports. */

import type { ArrivalSpec } from "./load.ts";
import type { PlanSpec } from "./plan.ts";

/** The law with its options: `poisson`, `bursty,peak=5,share=0.1,burst=500ms`, `replay`. */
export function describeArrival(arrival: ArrivalSpec): string {
  return arrival.law;
}

/** The rate over the measured window: `400/s`, `10s@500,20s@500..2000`, `500..1500,period=1m`. */
export function describeRate(spec: PlanSpec): string {
  return `${meanRps(spec)}/s`;
}

/** Mean arrivals per second to be expected over the measured window. */
export function meanRps({ arrival }: PlanSpec): number {
  if (arrival.law === "replay" || arrival.rate.kind !== "constant") throw new RangeError("not yet");
  return arrival.rate.rps;
}

/** The highest arrivals per second that the law and the rate come to, for bounds such as connections and files. */
export function peakRps(spec: PlanSpec): number {
  return meanRps(spec);
}
