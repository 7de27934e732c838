/** What became of the calls of each second, one outcome on top of the other. */

import { OUTCOMES, type Outcome } from "../../figures/trial-figures.ts";
import type { TrialResult } from "../../result/schema.ts";
import type { Bin } from "./arm-series.ts";
import { type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { plot, UPWARDS } from "./plot.ts";
import { linearScale } from "./scales.ts";
import { timeEdges } from "./script-marks.ts";
import { bandPath } from "./shapes.ts";
import { axisNumber, timePlace, timeScale } from "./time-plot.ts";

export interface OutcomeAreasSpec {
  readonly title: string;
  readonly description: string;
  readonly bins: readonly Bin[];
  readonly outcomes: readonly Outcome[];
  readonly trial: TrialResult;
  readonly lengthSeconds: number;
  /** The most calls of a second that is drawn. */
  readonly top: number;
}

/** Calls per second of a bin by outcome, the median over the trials; undefined when none was due any more. */
export function outcomeRate(bin: Bin, outcome: Outcome): number | undefined {
  return bin.of(outcome)?.median;
}

/** The tallest stack. */
export function outcomeTop(bins: readonly Bin[]): number {
  const stacks = bins.map((bin) => OUTCOMES.reduce((total, outcome) => total + (outcomeRate(bin, outcome) ?? 0), 0));
  return Math.max(1, ...stacks);
}

export function outcomeAreas(ids: Ids, spec: OutcomeAreasSpec): Html {
  const x = timeScale(spec.lengthSeconds);
  const y = linearScale([0, spec.top], UPWARDS, 4);
  const floors = spec.bins.map(() => 0);
  const areas = spec.outcomes.map((outcome) => {
    const bands = spec.bins.map((bin, index) => {
      const rate = outcomeRate(bin, outcome);
      if (rate === undefined) return undefined;
      const low = floors[index] ?? 0;
      const high = low + rate;
      floors[index] = high;
      return { x: timePlace(bin, x), low: y.at(low), high: y.at(high) };
    });
    return html`<g class="o-${outcome}"><path class="segment" d="${bandPath(bands)}"/></g>`;
  });
  return plot(ids, {
    title: spec.title,
    description: spec.description,
    x: { label: "second of the trial", scale: x, format: axisNumber },
    y: { label: "calls per second", scale: y, format: axisNumber },
    marks: html`${areas}${timeEdges(spec.trial, x)}`,
  });
}
