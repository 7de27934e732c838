/** What came of running a recorded experiment again, as text. */

import { formatEffect, formatMetric, metricOf } from "../figures/metrics.ts";
import { pValueText } from "../figures/p-value.ts";
import type { Contrast } from "../result/comparison-schema.ts";
import type { Result } from "../result/schema.ts";
import { page } from "./page.ts";
import { renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

export interface ReproductionText {
  /** What follows, one sentence. */
  readonly sentence: string;
  /** What is not as it was, one phrase each. */
  readonly setting: readonly string[];
  /** Of a simulation: the fields that differ. */
  readonly differences: readonly { readonly field: string; readonly recorded: unknown; readonly now: unknown }[];
  /** Of real load: each arm now against the same arm then. */
  readonly contrasts: readonly Contrast[];
  readonly before: Result;
  readonly after: Result;
}

/** The first differences tell where it began. */
const DIFFERENCES_MAX = 10;
const VALUE_MAX = 32;

export function renderReproduction(reproduction: ReproductionText): string {
  const { sentence, setting, differences, contrasts } = reproduction;
  const blocks = [
    wrap(sentence),
    setting.length === 0 ? [] : ["Not as it was:", ...setting.flatMap((phrase) => wrap(phrase, "  "))],
    differenceLines(differences),
    ...contrasts.map(contrastLines),
    conclusionLines(reproduction),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return page(filled.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines])));
}

function differenceLines(differences: ReproductionText["differences"]): readonly string[] {
  if (differences.length === 0) return [];
  const rows = differences
    .slice(0, DIFFERENCES_MAX)
    .map(({ field, recorded, now }) => [`  ${field}`, shown(recorded), shown(now)]);
  const rest = differences.length - rows.length;
  return [...renderTable([["", "recorded", "now"], ...rows]), ...(rest > 0 ? [`  and ${rest} more`] : [])];
}

function shown(value: unknown): string {
  const text = value === undefined ? "absent" : (JSON.stringify(value) ?? String(value));
  return text.length <= VALUE_MAX ? text : `${text.slice(0, VALUE_MAX - 3)}...`;
}

/** An arm's medians then and now, and what was found of each. */
function contrastLines({ arm, pairs, metrics }: Contrast): readonly string[] {
  const rows = metrics
    .filter(({ baseline, arm: now }) => baseline !== null || now !== null)
    .map(({ metric, baseline, arm: now, estimate, pValue, verdict }) => {
      const known = metricOf(metric);
      const differs = verdict === "better" || verdict === "worse" ? "differs" : "";
      return [
        `  ${known.label}`,
        formatMetric(known, baseline),
        formatMetric(known, now),
        formatEffect(known, estimate),
        pValue === null ? "" : pValueText(pValue),
        differs,
      ];
    });
  const trials = pairs.length === 1 ? "1 trial" : `medians of ${pairs.length} trials`;
  return renderTable([[`${arm}, ${trials}`, "recorded", "now", "change", "", ""], ...rows], {
    align: ["left", "right", "right", "right", "right", "left"],
  });
}

/** What each of the two said follows, where they compared arms and do not say the same. */
function conclusionLines({ before, after }: ReproductionText): readonly string[] {
  const then = before.comparison?.conclusion;
  const now = after.comparison?.conclusion;
  if (then === undefined || now === undefined || before.design.arms.length < 2 || then === now) return [];
  return [...wrap(then, "Recorded:  "), ...wrap(now, "Now:       ")];
}
