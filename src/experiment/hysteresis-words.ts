/** What a map of the hysteresis says in words, its noise included. */

import { formatDuration } from "../figures/duration.ts";
import { formatPercent } from "../figures/number-format.ts";
import type { ArmMap } from "../result/recovery-schema.ts";

export interface MapTold {
  readonly trigger: string;
  readonly horizonSeconds: number;
  readonly seeds: number;
  /** Whether both searches came to their end. */
  readonly done: boolean;
}

type Found = Omit<ArmMap, "sentence">;
type Point = ArmMap["points"][number];

/** Some sentences. */
export function mapSentence(found: Found, told: MapTold): string {
  const { arm, points, served, survives } = found;
  const [withIt, without] = [points.filter(({ triggered }) => triggered), points.filter((point) => !point.triggered)];
  return [
    `${arm}: ${survivalText(found, told.trigger)}; without the trigger it ${serviceText(found)}${gapText(found)}.`,
    ...between(found),
    ...zoneText(withIt, "With the trigger", "were stuck"),
    ...zoneText(without, "Without it", "were not served"),
    ...disorderText(withIt, "With the trigger"),
    ...disorderText(without, "Without it"),
    ...(survives !== null && served !== null && survives > served
      ? ["That it survives more than it serves is chance at the limit: take the lower one for both."]
      : []),
    ...untrustedText(points),
    `Each load: ${told.seeds} seed${told.seeds === 1 ? "" : "s"}, looked at for ${formatDuration(told.horizonSeconds)} after the trigger.`,
    ...(told.done ? [] : ["It was stopped before it was done: the bounds are those found so far."]),
  ].join(" ");
}

function survivalText({ survives, survivesUpTo }: Found, trigger: string): string {
  if (survives === null && survivesUpTo === null) return `nothing is known of whether it survives ${trigger}`;
  if (survives === null) return `does not survive ${trigger} at ${rate(survivesUpTo)}, the lowest load tried`;
  if (survivesUpTo === null) return `survives ${trigger} at all loads judged, up to ${rate(survives)}`;
  return `survives ${trigger} up to ${rate(survives)}, and is stuck at ${rate(survivesUpTo)}`;
}

function serviceText({ served, servedUpTo }: Found): string {
  if (served === null && servedUpTo === null) return "was not tried to an end";
  if (served === null) return `is not served at ${rate(servedUpTo)}, the lowest load tried`;
  if (servedUpTo === null) return `is served at all loads judged, up to ${rate(served)}`;
  return `is served up to ${rate(served)}, and not at ${rate(servedUpTo)}`;
}

function gapText({ gap, survivesUpTo, servedUpTo }: Found): string {
  if (gap === null || gap === 0) return "";
  // Where a search ended at the top of the range, its load is a lower bound.
  const bound = survivesUpTo !== null && servedUpTo === null ? "at least " : "";
  return `: a hysteresis gap of ${bound}${formatPercent(gap)}`;
}

function between({ gap, survives, served }: Found): readonly string[] {
  if (gap === null || gap === 0) return [];
  return [`Between ${rate(survives)} and ${rate(served)} it works until something happens, and does not come back.`];
}

/** Loads at which some seeds pass and others do not. */
function zoneText(points: readonly Point[], where: string, what: string): readonly string[] {
  const mixed = points.filter(({ trials, stuck }) => stuck > 0 && stuck < trials);
  const [first, last] = [mixed[0], mixed.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (first === last) return [`${where} ${first.stuck} of ${first.trials} seeds ${what} at ${rate(first.rps)}.`];
  return [
    `${where} chance decides from ${rate(first.rps)} to ${rate(last.rps)}: some seeds ${what} there, others not.`,
  ];
}

/** A load that fares better than a lower one: the bounds are then no better than the number of seeds allows. */
function disorderText(points: readonly Point[], where: string): readonly string[] {
  const judged = points.filter(({ trials }) => trials > 0);
  const share = ({ stuck, trials }: Point): number => stuck / trials;
  for (const [index, lower] of judged.entries()) {
    const higher = judged.slice(index + 1).find((point) => share(point) < share(lower));
    if (higher === undefined) continue;
    const told = [lower, higher]
      .map((point) => `${point.stuck} of ${point.trials} at ${rate(point.rps)}`)
      .join(", but ");
    return [`${where} failures do not rise with the load throughout (${told}): the bounds are as good as the seeds.`];
  }
  return [];
}

function untrustedText(points: readonly Point[]): readonly string[] {
  const untrusted = points.filter(({ trials }) => trials === 0).map(({ rps }) => rate(rps));
  if (untrusted.length === 0) return [];
  const loads = [...new Set(untrusted)].join(", ");
  return [`At ${loads} no trial can be trusted (their reasons say why): nothing is said of these loads.`];
}

/** With the digits that a bisection needs. */
function rate(rps: number | null): string {
  return rps === null ? "-" : `${Number(rps.toPrecision(4))}/s`;
}
