/** Effects in words, as part of a sentence. */

import { formatEffectRange, type Metric } from "../figures/metrics.ts";
import { formatNumber, formatPercent } from "../figures/number-format.ts";
import { pValueText } from "../figures/p-value.ts";
import type { MetricComparison } from "../result/comparison-schema.ts";

/** Between these a change reads best in percent, beyond them as a multiple. */
const PERCENT_FROM = 0.1;
const PERCENT_UP_TO = 1.5;

type Interval = NonNullable<MetricComparison["interval"]>;

/** `23 % higher than that of off`, `6.10 times that of off`, `50 percentage points lower than that of off`. */
export function howMuch(metric: Metric, effect: number, baseline: string): string {
  if (metric.effect === "ratio") {
    if (!isInPercent(effect)) return `${formatNumber(effect)} times that of ${baseline}`;
    return effect === 1
      ? `the same as that of ${baseline}`
      : `${formatPercent(Math.abs(effect - 1))} ${effect > 1 ? "higher" : "lower"} than that of ${baseline}`;
  }
  if (effect === 0) return `the same as that of ${baseline}`;
  const size = Math.abs(effect);
  const text = metric.unit === "share" ? `${formatNumber(size * 100)} percentage points` : formatNumber(size);
  return `${text} ${effect > 0 ? "higher" : "lower"} than that of ${baseline}`;
}

/** `+3.1 % to +7.3 %`, `17.1 to 18.3 times`, `-52 to -48 pp`: in the unit that {@link howMuch} has for the effect. */
export function rangeText(metric: Metric, effect: number, { low, high }: Pick<Interval, "low" | "high">): string {
  if (metric.effect === "difference") return formatEffectRange(metric, low, high);
  const bound = (value: number): string => (isInPercent(effect) ? signedPercent(value - 1) : formatNumber(value));
  const times = isInPercent(effect) ? "" : " times";
  if (low === null && high === null) return "without bounds";
  if (low === null) return `up to ${bound(high as number)}${times}`;
  if (high === null) return `from ${bound(low)}${times} on`;
  return `${bound(low)} to ${bound(high)}${times}`;
}

/** `adjusted p = 0.031`, `adjusted p < 0.001`. */
export function pText(pValue: number): string {
  return `adjusted ${pValueText(pValue)}`;
}

/** A share that somebody chose, as it was written: `5 %`, `2.5 %`. */
export function chosenPercent(share: number): string {
  return `${chosen(share)} %`;
}

/** The same in percentage points, without the unit. */
export function chosen(share: number): number {
  return Number((share * 100).toPrecision(6));
}

export function pairsText(count: number): string {
  return count === 1 ? "1 pair" : `${count} pairs`;
}

function isInPercent(ratio: number): boolean {
  return ratio >= PERCENT_FROM && ratio <= PERCENT_UP_TO;
}

function signedPercent(share: number): string {
  const text = formatPercent(share);
  return share > 0 && !/^[<>]/u.test(text) ? `+${text}` : text;
}
