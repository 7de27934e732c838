/** A recommendation in words that can be quoted, with no more certainty than the pairs bear out. */

import { formatNumber, formatPercent, formatRate, formatSeconds } from "../figures/number-format.ts";
import { pValueText } from "../figures/p-value.ts";
import type { Sweep } from "../result/sweep-schema.ts";
import { closedFormGoodput } from "./closed-form.ts";
import { ALPHA } from "./defaults.ts";
import { type Preference, RECOVERY_WITHIN_SECONDS } from "./preference.ts";
import { pairsToProve, type Standing } from "./standings.ts";
import { type ArmFacts, spoken } from "./sweep-facts.ts";
import { type Excluded, type LoadFindings, tellsNothing } from "./sweep-findings.ts";
import { pointText, type SweepLoad, shortName } from "./sweep-loads.ts";

/** Arms listed by name in a sentence. */
const NAMES_MAX = 4;

/** A return that takes longer than this, and so many times as long as another arm's, is told in the first sentence. */
const SLOW_SECONDS = 30;
const SLOW_TIMES = 4;

interface Words {
  readonly arm: string | null;
  readonly reasons: readonly string[];
  readonly sentence: string;
}

/** Why to ship an arm; undefined when none is to be. */
export function shipWords(sweep: Sweep, found: LoadFindings): Words | undefined {
  const { choice, measured, load } = found;
  if (choice === undefined || tellsNothing(found)) return undefined;
  const { arm } = choice;
  const named = namesOf(sweep, load);
  const name = spoken(sweep.axes, arm);
  const served = `${formatRate(arm.goodput)} of ${formatRate(arm.offered)} served`;
  const at = atLoad(load);
  if (measured.length === 1) {
    const sentence = `${capital(`${at}${name}`)}: ${served}. There was nothing to choose from.`;
    return { arm: arm.arm, reasons: [], sentence };
  }
  return {
    arm: arm.arm,
    reasons: [
      ...whyGood(found, arm, named),
      ...whyPreferred(found, choice, named),
      ...othersOut(found, named),
      ...theory(sweep, arm),
      ...recoveryWords(found, arm, named),
      ...howSure(found, named),
    ],
    sentence: `Ship ${name}${at === "" ? "" : ` ${at.slice(0, -1)}`}: ${served}, ${standingWords(sweep, found, arm)}${unproven(found)}.${recoveryWarning(found, arm, named)}`,
  };
}

function standingWords({ limits }: Sweep, found: LoadFindings, arm: ArmFacts): string {
  const { best, plateau, measured, excluded } = found;
  const out = measured.filter((facts) => excluded.some((one) => one.arm === facts.arm)).length;
  const count = measured.length - out;
  const within = limits.length === 0 ? "" : " within the limits";
  if (count === 1) return `the only one of ${measured.length} cells${within === "" ? " that can be trusted" : within}`;
  const among = `of ${within === "" ? "" : "the "}${count} cells${within}`;
  if (plateau.length === 1) return `the most ${among}`;
  const least = arm.arm === best?.arm ? "the most" : `${nearness(found, arm.arm)} the most`;
  return `${least} ${among}, with ${formatPercent(arm.waste)} of what it sends wasted`;
}

/** Why nothing is to be shipped. */
export function withoutWords(sweep: Sweep, found: LoadFindings): Words {
  const { limits } = sweep;
  const { measured, excluded, load } = found;
  const at = atLoad(load);
  const named = namesOf(sweep, load);
  if (measured.length === 0)
    return none(`${capital(`${at}nothing was measured to its end`)}: there is nothing to recommend.`);
  if (found.choice === undefined) {
    const closest = closestOf(excluded);
    const how =
      closest === undefined
        ? "no cell can be trusted: mend what makes the trials invalid, and run it again"
        : `no cell keeps ${limits.length === 1 ? "the limit" : "all limits"}; the closest is ${named(closest.arm)}: ${closest.why}`;
    return none(`${capital(`${at}${how}`)}.`);
  }
  const least = Math.min(...measured.map(({ okShareMin }) => okShareMin));
  const offered = formatRate(measured[0]?.offered ?? 0);
  return none(
    `${capital(`${at}nothing was overloaded`)}: every cell had at least ${formatPercent(least)} of its calls served at ${offered}, so this load does not tell them apart. Raise --rps beyond what the target can do.`,
  );
}

function none(sentence: string): Words {
  return { arm: null, reasons: [], sentence };
}

/** Of the arms that broke a limit, the one that did so by the least. */
function closestOf(excluded: readonly Excluded[]): Excluded | undefined {
  return excluded
    .filter(({ breach }) => breach !== undefined)
    .reduce<Excluded | undefined>(
      (least, candidate) =>
        least === undefined || (candidate.breach as number) < (least.breach as number) ? candidate : least,
      undefined,
    );
}

/** Its goodput, and what that is among the others. */
function whyGood(found: LoadFindings, arm: ArmFacts, named: Named): string[] {
  const { best, standings, plateau } = found;
  if (best === undefined) return [];
  if (arm.arm === best.arm) {
    const others = plateau.filter((other) => other.arm !== arm.arm);
    const near = [...new Set(others.map((other) => nearness(found, other.arm)))].map(
      (how) =>
        `, ${how} ${names(others.filter((other) => nearness(found, other.arm) === how).map((other) => named(other.arm)))}`,
    );
    return [`${named(arm.arm)} has the highest goodput, ${formatRate(arm.goodput)}${near.join("")}.`];
  }
  const standing = standings.find((candidate) => candidate.arm === arm.arm);
  return [
    `Goodput of ${named(arm.arm)}, ${formatRate(arm.goodput)}, is ${nearness(found, arm.arm)} the highest, ${formatRate(best.goodput)} of ${named(best.arm)}${effectWords(standing)}.`,
  ];
}

/** What an arm of the plateau and the best one are to each other. */
function nearness({ standings, smallestEffect }: LoadFindings, arm: string): string {
  const isTold = standings.some((standing) => standing.arm === arm && standing.verdict === "worse");
  return isTold ? `within ${percent(smallestEffect)} of` : "not told apart from";
}

function effectWords(standing: Standing | undefined): string {
  if (standing === undefined || standing.ratio === null) return "";
  const { ratio, low, high, pValue } = standing;
  const range = low === undefined || high === undefined ? "" : `, 95 % from ${times(low)} to ${times(high)}`;
  return ` (ratio ${times(ratio)}${range}${pValue === null ? "" : `, ${pValueText(pValue)}`})`;
}

function whyPreferred({ plateau }: LoadFindings, { arm, ground }: Preference, named: Named): string[] {
  const others = plateau.filter((other) => other.arm !== arm.arm);
  if (others.length === 0) return [];
  switch (ground) {
    case "waste": {
      const next = Math.min(...others.map(({ waste }) => waste).filter((waste) => waste > arm.waste));
      return [
        `Of these it wastes the least of what it sends: ${formatPercent(arm.waste)}, the next ${formatPercent(next)}.`,
      ];
    }
    case "recovery":
      return ["Of those that waste as little, it comes back the fastest after the simulated disturbance."];
    case "changes":
      return [
        `Nothing measured tells it from ${names(others.map((other) => named(other.arm)))}: it is the nearest to its policy's defaults.`,
      ];
    case "goodput":
    case "only":
      return [
        `Nothing else tells it from ${names(others.map((other) => named(other.arm)))}: it has the highest goodput of them.`,
      ];
    default:
      return ground satisfies never;
  }
}

function theory({ closedForm }: Sweep, arm: ArmFacts): string[] {
  if (closedForm === undefined || arm.k === undefined) return [];
  const predicted = closedFormGoodput(closedForm, arm.k, arm.offered);
  if (predicted === undefined) return [];
  const { capacity, rejectCost } = closedForm;
  return [
    `Theory has ${formatRate(predicted)} for it: C / (1 + r (K - 1)) with C = ${formatRate(capacity)} and r = ${formatNumber(rejectCost)}.`,
  ];
}

/** What it costs or brings when a disturbance ends, and which other arm trades goodput for a faster return. */
export function recoveryWords(found: LoadFindings, arm: ArmFacts, named: Named): string[] {
  if (arm.recoverySeconds === undefined) return [];
  const faster = fasterThan(found, arm);
  const own = `In the simulated disturbance ${returnWords(arm)}`;
  if (faster === undefined) return [`${own}; no other arm is much faster.`];
  const less = found.best === undefined || arm.goodput === 0 ? 0 : 1 - faster.goodput / arm.goodput;
  const price = less > 0 ? `${formatPercent(less)} less goodput` : `${formatPercent(faster.waste)} waste`;
  return [
    `${own}. Where a fast return is worth more, ${named(faster.arm)} is back in ${formatSeconds(faster.recoverySeconds as number)}, at the price of ${price}.`,
  ];
}

function returnWords({ recoverySeconds, horizonSeconds = 0 }: ArmFacts): string {
  return Number.isFinite(recoverySeconds)
    ? `it is back ${formatSeconds(recoverySeconds as number)} after that ends`
    : `it is not back within ${formatSeconds(horizonSeconds)}`;
}

/** Of the arms within the limits that are back in less than half the time, the one with the highest goodput. */
function fasterThan({ measured, excluded }: LoadFindings, { recoverySeconds = 0 }: ArmFacts): ArmFacts | undefined {
  const bound = Math.min(recoverySeconds / 2, recoverySeconds - RECOVERY_WITHIN_SECONDS);
  return measured
    .filter((other) => other.recoverySeconds !== undefined && other.recoverySeconds < bound)
    .filter((other) => !excluded.some(({ arm }) => arm === other.arm))
    .reduce<ArmFacts | undefined>(
      (most, other) => (most === undefined || other.goodput > most.goodput ? other : most),
      undefined,
    );
}

/** What a recommendation must not be quoted without. */
function unproven({ standings, measured }: LoadFindings): string {
  if (standings.length === 0) return "";
  const pairs = Math.min(...standings.map((standing) => standing.pairs));
  return pairs < pairsToProve(measured.length) ? ` (${pairs === 1 ? "1 pair" : `${pairs} pairs`}: not proven)` : "";
}

/** For an arm that hardly comes back: whoever reads one sentence must read this. */
export function recoveryWarning(found: LoadFindings, arm: ArmFacts, named: Named): string {
  const { recoverySeconds = 0 } = arm;
  const faster = fasterThan(found, arm);
  const isSlow =
    recoverySeconds > SLOW_SECONDS && recoverySeconds > SLOW_TIMES * (faster?.recoverySeconds ?? recoverySeconds);
  if (recoverySeconds !== Number.POSITIVE_INFINITY && !isSlow) return "";
  const other =
    faster === undefined ? "" : `; ${named(faster.arm)} is in ${formatSeconds(faster.recoverySeconds as number)}`;
  return ` But in the simulated disturbance ${returnWords(arm)}${other}.`;
}

/** What the pairs cannot tell, and how many could. */
function howSure({ standings, measured, smallestEffect }: LoadFindings, named: Named): string[] {
  if (standings.length === 0) return [];
  const pairs = Math.min(...standings.map((standing) => standing.pairs));
  const needed = pairsToProve(measured.length);
  const count = pairs === 1 ? "1 pair" : `${pairs} pairs`;
  if (pairs < needed) {
    const lower = standings.filter(({ verdict }) => verdict === "lower").map(({ arm }) => named(arm));
    const rule =
      lower.length === 0
        ? ""
        : ` Until then less goodput in every pair, and by ${percent(smallestEffect)} or more on average, sets apart: ${names(lower)}.`;
    return [
      `${count} cannot prove a difference between ${measured.length} cells: it takes ${needed} (--repeats ${needed}).${rule}`,
    ];
  }
  const sure = `By ${count}, in at least ${percent(1 - ALPHA)} of such sweeps the one truly best cell is not set apart; of cells that are equally good some may be.`;
  const open = standings.filter(({ verdict }) => verdict === "undecided");
  if (open.length === 0) return [sure];
  const suggested = Math.max(...open.map(({ suggestedPairs }) => suggestedPairs ?? 0));
  const more =
    suggested > pairs ? `; to find a difference of ${percent(smallestEffect)} takes about ${suggested} pairs` : "";
  return [sure, `Not told from the best: ${names(open.map(({ arm }) => named(arm)))}${more}.`];
}

/** By how much the others are below the best, so far as that is more than chance. */
function othersOut({ standings }: LoadFindings, named: Named): string[] {
  const out = standings.filter(({ verdict, ratio }) => (verdict === "worse" || verdict === "lower") && ratio !== null);
  if (out.length === 0) return [];
  const parts = out.map(({ arm, ratio }) => `${named(arm)} by ${formatPercent(1 - (ratio as number))}`);
  return [`Below the best in goodput: ${names(parts)}.`];
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

/** How the arms of a load are called where it is clear which load that is. */
type Named = (arm: string) => string;

export function namesOf({ axes }: Sweep, { cells }: SweepLoad): Named {
  return (arm) => {
    const cell = cells.find((candidate) => candidate.arm === arm);
    return cell === undefined ? arm : shortName(cell, axes);
  };
}

function names(arms: readonly string[]): string {
  if (arms.length > NAMES_MAX)
    return `${arms.slice(0, NAMES_MAX - 1).join(", ")} and ${arms.length - NAMES_MAX + 1} more`;
  return arms.length < 2 ? arms.join("") : `${arms.slice(0, -1).join(", ")} and ${arms.at(-1)}`;
}

/** Near 1 the third decimal counts. */
function times(ratio: number): string {
  return ratio > 0.9 && ratio < 1.1 ? ratio.toFixed(3) : formatNumber(ratio);
}

/** `at rps=500 `, or nothing where there is one load only. */
function atLoad({ point }: SweepLoad): string {
  const text = pointText(point);
  return text === "" ? "" : `at ${text} `;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
