import { formatNumber } from "./number-format.ts";

/** From where to where: `395 to 405`; where that would say the same twice, `400 to within 0.21`. */
export function intervalText(low: number, high: number): string {
  const [from, to] = [formatNumber(low), formatNumber(high)];
  if (from !== to) return `${from} to ${to}`;
  const half = (high - low) / 2;
  return half === 0 ? `${from} exactly` : `${from} to within ${formatNumber(half)}`;
}
