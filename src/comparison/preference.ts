/**
 * Which arm of the plateau to ship. Their goodput is the same as far as anybody can tell, so what else they cost decides, in this
 * order: less waste, which is load on the backend and its network; a faster return after a disturbance; fewer options that differ
 * from the policy's defaults; the higher goodput; the order in which they were named.
 */

import type { ArmFacts } from "./sweep-facts.ts";

/** Shares of waste closer than this are the same. */
const WASTE_WITHIN = 0.02;
/** So are returns closer than this many seconds, or than this share of the faster one. */
export const RECOVERY_WITHIN_SECONDS = 1;
const RECOVERY_WITHIN_SHARE = 0.1;

type Ground = "waste" | "recovery" | "changes" | "goodput" | "only";

export interface Preference {
  readonly arm: ArmFacts;
  /** What told it from the last ones that were left. */
  readonly ground: Ground;
}

/** @param plateau at least one. */
export function preferred(plateau: readonly ArmFacts[]): Preference {
  let left = plateau;
  let ground: Ground = "only";
  for (const [name, keep] of STEPS) {
    const kept = keep(left);
    if (kept.length < left.length) ground = name;
    left = kept;
  }
  const arm = left[0];
  if (arm === undefined) throw new RangeError("Cannot prefer as 'plateau' must not be empty");
  return { arm, ground };
}

type Step = readonly [Ground, (arms: readonly ArmFacts[]) => readonly ArmFacts[]];

const STEPS: readonly Step[] = [
  [
    "waste",
    (arms) =>
      leastBy(
        arms,
        ({ waste }) => waste,
        (least) => least + WASTE_WITHIN,
      ),
  ],
  [
    "recovery",
    (arms) =>
      arms.some(({ recoverySeconds }) => recoverySeconds === undefined)
        ? arms
        : leastBy(
            arms,
            ({ recoverySeconds = 0 }) => recoverySeconds,
            (least) => Math.max(least + RECOVERY_WITHIN_SECONDS, least * (1 + RECOVERY_WITHIN_SHARE)),
          ),
  ],
  [
    "changes",
    (arms) =>
      leastBy(
        arms,
        ({ changes }) => changes,
        (least) => least,
      ),
  ],
  [
    "goodput",
    (arms) =>
      leastBy(
        arms,
        ({ goodput }) => -goodput,
        (least) => least,
      ),
  ],
];

/** Those whose figure is at most what `bound` makes of the least. */
function leastBy(
  arms: readonly ArmFacts[],
  figure: (arm: ArmFacts) => number,
  bound: (least: number) => number,
): readonly ArmFacts[] {
  const most = bound(Math.min(...arms.map(figure)));
  return arms.filter((arm) => figure(arm) <= most);
}
