import type { ArmView, Subject } from "./subject.ts";

/** So many arms can be told apart in one plot. */
export const TOGETHER_MAX = 6;

/** The arms to draw together: all, or of many the baseline, what is recommended, and those with the most and the least goodput. */
export function notableArms({ arms, result, comparison }: Subject): readonly ArmView[] {
  if (arms.length <= TOGETHER_MAX) return arms;
  const sorted = [...arms].sort((a, b) => meanGoodput(b) - meanGoodput(a));
  const names = new Set([
    result.sweep === undefined ? comparison?.baseline : undefined,
    ...(result.sweep?.recommendations ?? []).slice(0, 2).map(({ arm }) => arm),
    sorted[0]?.name,
    sorted.at(-1)?.name,
  ]);
  return arms.filter(({ name }) => names.has(name));
}

function meanGoodput({ trials }: ArmView): number {
  return trials.reduce((sum, { rates }) => sum + rates.goodput, 0) / trials.length;
}

/** Says so where they are not all. */
export function notableNote({ arms }: Subject, shown: readonly ArmView[]): string {
  return shown.length === arms.length ? "" : ` Of ${arms.length} arms, the ${shown.length} that say most are drawn.`;
}
