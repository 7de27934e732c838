/** P-values as people read them. */

import { formatNumber, NONE } from "./number-format.ts";

/** Smaller ones are not told apart: so few pairs do not prove more. */
const LEAST = 0.001;

/** In a column: `0.031`, `<0.001`. */
export function formatPValue(pValue: number | null): string {
  if (pValue === null) return NONE;
  return pValue < LEAST ? `<${LEAST}` : formatNumber(pValue);
}

/** In a sentence: `p = 0.031`, `p < 0.001`. */
export function pValueText(pValue: number): string {
  return pValue < LEAST ? `p < ${LEAST}` : `p = ${formatNumber(pValue)}`;
}
