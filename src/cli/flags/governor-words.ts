/** What the governor will do, for whoever waits for it. */

import type { GovernorSpec } from "../../engine/trial-spec.ts";
import { formatDuration } from "../../figures/duration.ts";
import { formatPercent, formatSeconds } from "../../figures/number-format.ts";
import { bandText, offerText } from "../../figures/offer-text.ts";

/** One sentence. */
export function searchText(governor: GovernorSpec, durationSeconds: number): string {
  const { control, start, ceiling, high, low, windowSeconds, holdWindows } = governor;
  const most = Number.isFinite(ceiling) ? `, to ${offerText(ceiling, control)} at most` : "";
  return (
    `The load: from ${offerText(start, control)} on${most}, raised while fewer than ${formatPercent(low)} of attempts fail in ` +
    `${formatSeconds(windowSeconds)}, lowered above ${formatPercent(high)}, until ${holdWindows} such windows lie within ` +
    `${bandText(governor)}, or for ${formatDuration(durationSeconds)}.`
  );
}
