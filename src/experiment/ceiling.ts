/** What a generator's ceiling, as `calibrate` found it, says about a plan. */

import type { Reason } from "../result/schema.ts";

/** Share of the ceiling beyond which a disturbance of this machine may show in the figures. */
const NEAR = 0.5;

export type Fit = "fits" | "near" | "beyond";

/** @param peakRps the highest rate of calls of the plan; retries come on top. */
export function fitOf(peakRps: number, ceilingRps: number): Fit {
  if (peakRps > ceilingRps) return "beyond";
  return peakRps > NEAR * ceilingRps ? "near" : "fits";
}

/** The remark that goes with every trial of such a plan; none when it fits. */
export function ceilingReasons(peakRps: number, ceilingRps: number): Reason[] {
  const peak = Math.round(peakRps);
  const facts = { figure: peakRps, hint: "Lower the rate, take more --workers, or use a faster machine" };
  const fit = fitOf(peakRps, ceilingRps);
  switch (fit) {
    case "fits":
      return [];
    case "near":
      return [
        {
          ...facts,
          code: "near-ceiling",
          severity: "note",
          message: `The plan asks for ${peak} calls/s, more than half of this generator's ceiling of ${ceilingRps} (see calibrate)`,
          limit: NEAR * ceilingRps,
        },
      ];
    case "beyond":
      return [
        {
          ...facts,
          code: "beyond-ceiling",
          severity: "suspect",
          message: `The plan asks for ${peak} calls/s, and this generator's ceiling is ${ceilingRps} (see calibrate)`,
          limit: ceilingRps,
        },
      ];
    default:
      return fit satisfies never;
  }
}
