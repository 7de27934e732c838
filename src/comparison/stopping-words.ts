/** Why an experiment ended before all its pairs were run, in one or two sentences. */

import { formatNumber, formatPercent } from "../figures/number-format.ts";
import { pValueText } from "../figures/p-value.ts";
import type { Design } from "../result/design-schema.ts";
import type { ContrastState } from "./stopping.ts";
import { chosenPercent } from "./wording.ts";

export interface StopFacts {
  readonly baseline: string;
  readonly pairs: number;
  readonly pairsMax: number;
  readonly alpha: number;
  readonly smallestEffect: number;
  readonly contrasts: readonly ContrastState[];
}

export function stopText(because: NonNullable<Design["stopped"]>["because"], facts: StopFacts): string {
  const { pairs, pairsMax, contrasts } = facts;
  const found = contrasts.filter(({ verdict }) => verdict !== "hopeless").map((state) => findingText(state, facts));
  const given = contrasts.filter(({ verdict }) => verdict === "hopeless").map(({ arm }) => arm);
  if (given.length > 0) found.push(hopelessText(given, facts));
  const head = because === "decided" ? "Decided" : "Given up";
  return `${head} after ${pairs} of ${pairsMax} pairs: ${found.join("; ")}. ${ruleText(facts)}`;
}

function findingText(state: ContrastState, { baseline, smallestEffect }: StopFacts): string {
  const { arm, verdict, look, scale } = state;
  if (verdict === "equivalent") {
    return `goodput with ${arm} is within ${formatPercent(smallestEffect)} of that with ${baseline}`;
  }
  const figures =
    look === undefined ? "" : ` (${pValueText(look.pValue)}, where ${formatNumber(look.level)} is enough)`;
  const nothing =
    scale === "difference" ? ", compared by differences as some trials served nothing and have no ratio" : "";
  return `goodput with ${arm} differs from that with ${baseline}${figures}${nothing}`;
}

function hopelessText(arms: readonly string[], { baseline, pairs, pairsMax, smallestEffect }: StopFacts): string {
  const left = pairsMax - pairs === 1 ? "the pair that was left" : `the ${pairsMax - pairs} pairs that were left`;
  return `${left} would have shown a difference of ${formatPercent(smallestEffect)} between ${listed(arms)} and ${baseline} with a chance below 10 %`;
}

function ruleText({ alpha, contrasts }: StopFacts): string {
  const over = contrasts.length > 1 ? "metrics, arms and looks" : "metrics and looks";
  return `Over all ${over} the chance of any false verdict is at most ${chosenPercent(alpha)}.`;
}

function listed(names: readonly string[]): string {
  const last = names[names.length - 1] as string;
  return names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
