/** What the governor will do, for whoever waits for it. */

import type { GovernorSpec } from "../../engine/trial-spec.ts";
import { formatDuration } from "../../figures/duration.ts";
import { formatCount, formatNumber, formatPercent, formatSeconds } from "../../figures/number-format.ts";

/** One sentence. */
export function searchText(governor: GovernorSpec, durationSeconds: number): string {
  const { control, start, ceiling, high, low, windowSeconds, holdWindows, holdBand } = governor;
  const unit = (offer: number): string =>
    `${Number.isInteger(offer) ? formatCount(offer) : formatNumber(offer)}${control === "rate" ? "/s" : " at once"}`;
  const most = Number.isFinite(ceiling) ? `, to ${unit(ceiling)} at most` : "";
  return (
    `The load: from ${unit(start)} on${most}, raised while fewer than ${formatPercent(low)} of attempts fail in ` +
    `${formatSeconds(windowSeconds)}, lowered above ${formatPercent(high)}, until ${holdWindows} such windows lie within ` +
    `${formatPercent(holdBand)}, or for ${formatDuration(durationSeconds)}.`
  );
}
