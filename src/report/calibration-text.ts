/** What `calibrate` found, as text. */

import { formatCount, formatMs, formatPercent } from "../figures/number-format.ts";
import type { CalibrationReport, CalibrationStep } from "../result/calibration-schema.ts";
import { wrap } from "./wrap.ts";

/** One line for one trial of the search. */
export function stepText({ rps, holds, reasons, latenessP99Ms, responseP90Ms }: CalibrationStep): string {
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
  const figures = `lateness p99 ${formatMs(latenessP99Ms)}, response p90 ${formatMs(responseP90Ms)}`;
  return `  ${`${formatCount(rps)}/s`.padStart(11)}  ${holds ? "holds" : "fails"}  ${figures}${why}`;
}

export function calibrationText({ calibration, plan }: CalibrationReport): string {
  if (calibration === null) {
    return paragraph("This machine held no rate at all: end what else runs here, and try again");
  }
  const { ceilingRps, runtime, runtimeVersion, transport, pacing, workers, measuredAt } = calibration;
  const how = `${runtime} ${runtimeVersion}, ${transport}, ${pacing} pacing, ${workers === 1 ? "1 worker" : `${workers} workers`}`;
  const ceiling = `Ceiling of this generator on this machine: ${formatCount(ceilingRps)} calls/s (${how}; measured ${measuredAt}).`;
  if (plan === undefined) {
    return paragraph(`${ceiling} Plan for at most half of it: ${formatCount(Math.floor(ceilingRps / 2))} calls/s.`);
  }
  return paragraph(ceiling) + paragraph(fitText(plan));
}

function fitText({ peakRps, share, fit }: NonNullable<CalibrationReport["plan"]>): string {
  const plan = `A plan with a peak of ${formatCount(peakRps)} calls/s is ${formatPercent(share)} of it`;
  switch (fit) {
    case "fits":
      return `${plan}: it fits.`;
    case "near":
      return `${plan}: more than half, so that what else this machine does may show in the figures.`;
    case "beyond":
      return `${plan}: beyond this generator. Lower the rate, take more --workers, or use a faster machine.`;
    default:
      return fit satisfies never;
  }
}

function paragraph(text: string): string {
  return `${wrap(text).join("\n")}\n`;
}
