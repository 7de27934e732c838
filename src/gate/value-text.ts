/** The value of a side of an assertion in its unit, as reports write it. */

import { formatMs, formatNumber, formatPercent, formatRate, formatSeconds } from "../figures/number-format.ts";
import { isPoint, type Span } from "./span.ts";
import { BARE, type Unit } from "./unit.ts";

/** `689/s`; `≥1,000 ms` where the value may be greater. */
function spanText({ low, high }: Span, unit: Unit, format: (value: number) => string = formatIn(unit)): string {
  if (isPoint({ low, high })) return format(low);
  if (high === Number.POSITIVE_INFINITY) return `≥${format(low)}`;
  return low === Number.NEGATIVE_INFINITY ? `≤${format(high)}` : `${format(low)} to ${format(high)}`;
}

/** Both sides in full where what reports write of them is the same though they differ. */
export function sidesText(left: Span, right: Span, unit: Unit): readonly [string, string] {
  const texts = [spanText(left, unit), spanText(right, unit)] as const;
  const differ = left.low !== right.low || left.high !== right.high;
  if (!differ || texts[0] !== texts[1]) return texts;
  return [spanText(left, unit, String), spanText(right, unit, String)];
}

function formatIn(unit: Unit): (value: number) => string {
  if (unit === BARE || unit.bytes !== 0) return formatNumber;
  if (unit.time === 1) return unit.milli ? formatMs : formatSeconds;
  if (unit.time === -1) return formatRate;
  return unit.time === 0 && unit.nature === "share" ? formatPercent : formatNumber;
}
