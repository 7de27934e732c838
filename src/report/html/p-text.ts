import { formatNumber } from "../../figures/number-format.ts";

/** A p-value: `p = 0.031`, `p < 0.001`. */
export function pText(pValue: number): string {
  const text = formatNumber(pValue);
  return text.startsWith("<") ? `p < ${text.slice(1)}` : `p = ${text}`;
}
