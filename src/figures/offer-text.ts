/** The offer of a governor, and its band, as they are told everywhere. */

import type { Governed } from "../result/governor-schema.ts";
import { formatCount, formatNumber, formatPercent } from "./number-format.ts";

/** `408/s`, or `13.2 calls at once`. */
export function offerText(offer: number, control: Governed["control"]): string {
  switch (control) {
    case "rate":
      return `${offerNumber(offer)}/s`;
    case "concurrency":
      return `${offerNumber(offer)} calls at once`;
    default:
      return control satisfies never;
  }
}

/** Many are whole ones, which keep their digits. */
export function offerNumber(offer: number): string {
  return Number.isInteger(offer) ? formatCount(offer) : formatNumber(offer);
}

/** `15 %`; of calls at once, of which there are few, `15 % or 1 call`. */
export function bandText({ holdBand, control }: Pick<Governed, "holdBand" | "control">): string {
  const band = formatPercent(holdBand);
  return control === "rate" ? band : `${band} or 1 call`;
}
