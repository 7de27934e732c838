/** What a sweep found at one load: which arms keep the limits, which of them is the best, and which cannot be told from it. */

import { formatNumber } from "../figures/number-format.ts";
import type { AssertionOutcome } from "../result/design-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import type { Sweep } from "../result/sweep-schema.ts";
import { trialsOf } from "./arms.ts";
import { SMALLEST_EFFECT } from "./defaults.ts";
import { type Preference, preferred } from "./preference.ts";
import { type Standing, standingsOf } from "./standings.ts";
import { type ArmFacts, factsOf } from "./sweep-facts.ts";
import type { SweepLoad } from "./sweep-loads.ts";

/** From this share of the calls on, in every trial, nothing was overloaded as far as anybody who calls can tell. */
const ALL_OK = 0.99;
/** What of a result recommendations follow from, beside what is known of the sweep. */
export interface SweptResult extends Pick<Result, "trials"> {
  readonly design: Pick<Result["design"], "smallestEffect">;
}

/** Whether an arm keeps a limit. */
export type CheckLimit = (limit: string, arm: string) => AssertionOutcome;

/** An arm that takes no part. */
export interface Excluded {
  readonly arm: string;
  readonly why: string;
  /** By how much of the limits' sizes it broke them, the worst of them; undefined: not for a limit. */
  readonly breach?: number;
}

/** What was found at one load. */
export interface LoadFindings {
  readonly load: SweepLoad;
  readonly measured: readonly ArmFacts[];
  readonly excluded: readonly Excluded[];
  /** Of those that keep the limits, the one with the highest goodput. */
  readonly best: ArmFacts | undefined;
  /** Those not told from the best, or told from it by less than matters. */
  readonly plateau: readonly ArmFacts[];
  /** Of the arms within the limits but the best. */
  readonly standings: readonly Standing[];
  /** The smallest difference of goodput that matters, as a share. */
  readonly smallestEffect: number;
  readonly choice?: Preference;
}

/** Whether everything was served by every arm, so that the load has nothing to say of them. */
export function tellsNothing({ measured }: LoadFindings): boolean {
  return measured.length > 1 && measured.every(({ okShareMin }) => okShareMin >= ALL_OK);
}

export function findingsOf(
  { trials, design }: SweptResult,
  sweep: Sweep,
  load: SweepLoad,
  check: CheckLimit,
): LoadFindings {
  const all = load.cells.map((cell) => factsOf({ trials }, cell, sweep.recovery));
  const measured = all.filter((facts) => facts !== undefined);
  const excluded = load.cells.flatMap((cell, index) => {
    const why = whyExcluded(trials, cell.arm, all[index], sweep.limits, check);
    return why === undefined ? [] : [why];
  });
  const allowed = measured.filter(({ arm }) => !excluded.some((candidate) => candidate.arm === arm));
  const best = allowed.reduce<ArmFacts | undefined>(
    (highest, facts) => (highest === undefined || facts.goodput > highest.goodput ? facts : highest),
    undefined,
  );
  const names = allowed.map(({ arm }) => arm);
  const { smallestEffect = SMALLEST_EFFECT } = design;
  const standings = best === undefined ? [] : standingsOf(trials, best.arm, names, measured.length, smallestEffect);
  const isOnPlateau = ({ arm }: ArmFacts): boolean =>
    arm === best?.arm ||
    standings.some((standing) => standing.arm === arm && (standing.isNear || standing.verdict === "undecided"));
  const plateau = allowed.filter(isOnPlateau);
  return {
    load,
    measured,
    excluded,
    best,
    plateau,
    standings,
    smallestEffect,
    ...(plateau.length === 0 ? {} : { choice: preferred(plateau) }),
  };
}

function whyExcluded(
  trials: readonly TrialResult[],
  arm: string,
  facts: ArmFacts | undefined,
  limits: readonly string[],
  check: CheckLimit,
): Excluded | undefined {
  if (facts === undefined) return { arm, why: "it has no trial that was measured to its end" };
  const own = trialsOf(trials, arm);
  const invalid = own.filter(({ validity }) => validity.verdict === "invalid");
  if (invalid.length > 0) {
    const reason = invalid[0]?.validity.reasons.find(({ severity }) => severity === "invalid");
    const count =
      own.length === 1
        ? "its trial is"
        : `${invalid.length === own.length ? "all" : `${invalid.length}`} of its ${own.length} trials are`;
    return { arm, why: `${count} invalid${reason === undefined ? "" : `: ${reason.message}`}` };
  }
  const broken = limits.map((limit) => check(limit, arm)).filter(({ holds }) => !holds);
  if (broken.length === 0) return undefined;
  return { arm, why: broken.map(brokenWords).join(", and "), breach: Math.max(...broken.map(breachOf)) };
}

/** Whether all that is right of the comparison is a number. */
const PLAIN_LIMIT = /(?:[<>]=?|[=!]=)\s*[\d.]+\s*(?:%|[a-z]+)?\s*$/u;

function brokenWords({ text, left, right }: AssertionOutcome): string {
  if (left === null || right === null) return `it cannot be held to ${text}, as it has no such figure`;
  return `it broke ${text}: ${formatNumber(left)}${PLAIN_LIMIT.test(text) ? "" : ` against ${formatNumber(right)}`}`;
}

function breachOf({ left, right }: AssertionOutcome): number {
  if (left === null || right === null) return Number.POSITIVE_INFINITY;
  return Math.abs(left - right) / Math.max(Math.abs(right), Number.MIN_VALUE);
}
