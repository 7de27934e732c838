const BARS = "▁▂▃▄▅▆▇█";

/** One bar per value, from 0 to the largest. Values are not negative. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, Number.MIN_VALUE);
  return values.map((value) => BARS[Math.min(BARS.length - 1, Math.floor((value / most) * BARS.length))]).join("");
}
