/**
 * Numbers as people read them: about three significant digits, thousands separated, the same on every runtime and in every
 * locale. What is no number (nothing was measured) is {@link NONE}.
 */

/** Stands where there is no value. */
export const NONE = "-";

/** A whole number: `1,234,567`. Fractions are rounded. */
export function formatCount(value: number): string {
  if (!Number.isFinite(value)) return NONE;
  const rounded = Math.round(Math.abs(value));
  const digits = BigInt(rounded)
    .toString()
    .replace(/\B(?=(?:\d{3})+$)/gu, ",");
  return value < 0 && rounded > 0 ? `-${digits}` : digits;
}

/** A measured number: whole from 100 on, at most three decimals: `1,234`, `689`, `12.3`, `1.50`, `0.68`, `0.031`, `<0.001`. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return NONE;
  if (value < 0) {
    const text = formatNumber(-value);
    return text.startsWith("<") ? `>-${text.slice(1)}` : `-${text}`;
  }
  if (value === 0) return "0";
  if (value < 0.0005) return "<0.001";
  // Rounded first: 9.996 has two digits before the point.
  const rounded = Number(value.toPrecision(3));
  if (rounded >= 100) return formatCount(value);
  if (rounded >= 10) return rounded.toFixed(1);
  return rounded >= 0.1 ? value.toFixed(2) : value.toFixed(3);
}

/** Milliseconds with their unit, seconds from 10 s on: `0.031 ms`, `12.3 ms`, `1,234 ms`, `12.3 s`. */
export function formatMs(valueMs: number): string {
  if (!Number.isFinite(valueMs)) return NONE;
  return Math.abs(valueMs) < 10_000 ? `${formatNumber(valueMs)} ms` : formatSeconds(valueMs / 1000);
}

/** Seconds with their unit, whole ones without a fraction: `10 s`, `3.20 s`, `3,600 s`. */
export function formatSeconds(value: number): string {
  return `${Number.isInteger(value) ? formatCount(value) : formatNumber(value)} s`;
}

/** A rate with its unit: `689/s`. */
export function formatRate(perSecond: number): string {
  return `${formatNumber(perSecond)}/s`;
}

/**
 * A share as a percentage: `0 %`, `<0.1 %`, `1.9 %`, `34 %`, `99.6 %`, `>99.9 %`, `100 %`. Only nothing is `0 %` and only
 * all is `100 %`.
 */
export function formatPercent(share: number): string {
  if (!Number.isFinite(share)) return NONE;
  if (share < 0) return `-${formatPercent(-share)}`;
  const percent = share * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.05) return "<0.1 %";
  if (percent > 99.95 && percent < 100) return ">99.9 %";
  const decimals = percent < 9.95 || (percent >= 99 && percent < 100) ? 1 : 0;
  return `${decimals === 0 ? formatCount(percent) : percent.toFixed(1)} %`;
}

/** How many times: `17.7x`, `0.62x`. */
export function formatRatio(ratio: number): string {
  if (!Number.isFinite(ratio)) return NONE;
  return `${formatNumber(ratio)}x`;
}
