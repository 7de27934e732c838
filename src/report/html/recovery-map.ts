/** The map of a recovery: which loads are served, which of them survive the trigger, and the gap between the two. */

import { formatCount, formatNumber, formatPercent, formatRate, NONE } from "../../figures/number-format.ts";
import type { ArmMap, Recovery } from "../../result/recovery-schema.ts";
import { nameText, shorten } from "./arm-name.ts";
import { type Cell, dataTable } from "./data-table.ts";
import { figureBlock } from "./figure-block.ts";
import { EMPTY, type Html, html } from "./html.ts";
import type { Ids } from "./ids.ts";
import { type LegendItem, legend, pathItem, zoneItem } from "./legend.ts";
import { drawing, PLOT, round } from "./plot.ts";
import { type RetryThreshold, retryThreshold } from "./recovery-theory.ts";
import { exactScale, type Scale } from "./scales.ts";
import type { Subject } from "./subject.ts";
import { axisNumber } from "./time-plot.ts";

type HysteresisMap = NonNullable<Recovery["map"]>;
type MapPoint = ArmMap["points"][number];

const TOP = 26;
const LEFT = 96;
const RIGHT = PLOT.width - 16;
const LANE = 30;
const GAP = 18;
/** Room that the label of a gap takes. */
const GAP_LABEL = 84;
const BLOCK = 20 + 2 * LANE + GAP;

export function mapFigure(subject: Subject, map: HysteresisMap): Html {
  if (map.arms.length === 0) return EMPTY;
  const loads = map.arms.flatMap(({ points }) => points.map(({ rps }) => rps));
  const low = Math.min(map.lowRps, ...loads);
  const high = Math.max(map.highRps, ...loads);
  const theory = thresholdsOf(subject);
  const margin = (high - low) * 0.03 || 1;
  const x = exactScale([Math.max(0, low - margin), high + margin], [LEFT, RIGHT], 6);
  const halves =
    map.arms.length > 3
      ? [map.arms.slice(0, Math.ceil(map.arms.length / 2)), map.arms.slice(Math.ceil(map.arms.length / 2))]
      : [map.arms];
  return html`${figureBlock({
    plots: halves.map((arms) => mapPlot(subject.ids, arms, theory, x)),
    legend: legend([
      dotItem("tone-good", "dot", "no trial was stuck"),
      dotItem("tone-doubt", "dot", "fewer than half were"),
      dotItem("tone-bad", "hollow", "at least half were"),
      zoneItem("shade", "between the load that passed and the one that did not"),
      pathItem("span", "the hysteresis gap"),
      ...(theory.size > 0 ? [pathItem("theory", "theory: load x attempts = capacity")] : []),
    ]),
    caption: html`${theoryNote(theory)}Loads that were tried, by bisection down to intervals of ${formatPercent(map.tolerance)}. Below the gap the system comes back after the trigger; in it, it works until something happens, and then stays down; above it, it is never served.`,
    table: pointTable(map),
  })}${armTable(map)}`;
}

function dotItem(tone: string, mark: string, label: string): LegendItem {
  return { swatch: html`<g class="${tone} forest"><circle class="${mark}" cx="15" cy="7" r="4.5"/></g>`, label };
}

/** By arm. */
type Thresholds = ReadonlyMap<string, RetryThreshold>;

function thresholdsOf({ result, arms }: Subject): Thresholds {
  return new Map(
    arms.flatMap((arm) => {
      const threshold = retryThreshold(result, arm);
      return threshold === undefined ? [] : [[arm.name, threshold] as const];
    }),
  );
}

function theoryNote(theory: Thresholds): Html {
  const [first] = theory.values();
  if (first === undefined) return EMPTY;
  const each = [...theory].map(
    ([arm, { rps }], index) => html`${index > 0 && ", "}from ${formatRate(rps)} on with ${nameText(arm)}`,
  );
  return html`Theory: a backlog keeps itself up where load x attempts exceeds the capacity of ${formatRate(first.capacity)}: ${each}. `;
}

function mapPlot(ids: Ids, arms: readonly ArmMap[], theory: Thresholds, x: Scale): Html {
  const bottom = TOP + BLOCK * arms.length;
  const ticks = x.ticks.map((tick) => {
    const place = round(x.at(tick));
    return html`<path class="grid" d="M${place},${TOP - 4}V${bottom}"/><text x="${place}" y="${bottom + 15}" text-anchor="middle">${axisNumber(tick)}</text>`;
  });
  const title = "Served, and survived";
  return drawing(
    ids,
    title,
    arms.map(({ sentence }) => sentence).join(" "),
    bottom + 34,
    html`<text class="name" x="2" y="14">${title}</text>${ticks}<path class="axis" d="M${LEFT},${bottom}H${RIGHT}"/>${arms.map((arm, index) => mapBlock(arm, TOP + BLOCK * index, theory.get(arm.arm), x))}<text x="${RIGHT}" y="${bottom + 30}" text-anchor="end">load, calls per second</text>`,
  );
}

function mapBlock(map: ArmMap, top: number, theory: RetryThreshold | undefined, x: Scale): Html {
  const { arm, served, servedUpTo, survives, survivesUpTo, points, gap } = map;
  const upper = top + 20 + LANE / 2;
  const lower = upper + LANE + GAP;
  const line =
    theory !== undefined &&
    theory.rps >= x.domain[0] &&
    theory.rps <= x.domain[1] &&
    html`<path class="theory" d="M${round(x.at(theory.rps))},${lower - 16}v32"/>`;
  return html`<text class="strong over" x="2" y="${top + 12}">${shorten(arm, 44)}</text>${lane(
    "no trigger",
    points.filter(({ triggered }) => !triggered),
    served,
    servedUpTo,
    upper,
    x,
  )}${lane(
    "with it",
    points.filter(({ triggered }) => triggered),
    survives,
    survivesUpTo,
    lower,
    x,
  )}${line}${gapMark(survives, served, gap, (upper + lower) / 2, x)}`;
}

function lane(
  label: string,
  points: readonly MapPoint[],
  passed: number | null,
  failed: number | null,
  y: number,
  x: Scale,
): Html {
  const from = round(x.at(passed ?? x.domain[0]));
  const to = round(x.at(failed ?? x.domain[1]));
  const bracket =
    (passed !== null || failed !== null) &&
    html`<rect class="shade" x="${from}" y="${y - 11}" width="${round(Math.max(1, to - from))}" height="22"/>`;
  return html`<text x="2" y="${y + 4}">${label}</text><path class="grid" d="M${LEFT},${y}H${RIGHT}"/>${bracket}${points.map((point) => mapDot(point, y, x))}`;
}

function mapDot({ rps, trials, stuck, triggered }: MapPoint, y: number, x: Scale): Html {
  const tone = stuck === 0 ? "good" : 2 * stuck < trials ? "doubt" : "bad";
  const what = triggered ? "were stuck" : "were not served";
  return html`<g class="tone-${tone} forest"><circle class="${tone === "bad" ? "hollow" : "dot"}" cx="${round(x.at(rps))}" cy="${y}" r="4.5"><title>${formatRate(rps)}: ${stuck} of ${trials} ${what}</title></circle></g>`;
}

function gapMark(survives: number | null, served: number | null, gap: number | null, y: number, x: Scale): Html {
  if (survives === null || served === null || gap === null || gap <= 0) return EMPTY;
  const [from, to] = [round(x.at(survives)), round(x.at(served))];
  const text = `gap ${formatPercent(gap)}`;
  const fits = to - from >= GAP_LABEL;
  const place = fits ? round((from + to) / 2) : round(from - 6);
  return html`<path class="span" d="M${from},${y - 5}v10M${from},${y}H${to}M${to},${y - 5}v10"/><text class="strong over" x="${place}" y="${fits ? y - 4 : y + 4}" text-anchor="${fits ? "middle" : "end"}">${text}</text>`;
}

function armTable({ arms }: HysteresisMap): Html {
  return dataTable({
    caption: "Loads per second, each as passed / did not pass; the gap is 1 - survives / served",
    head: ["Arm", "served without it", "survives the trigger", "gap", { prose: "In words" }],
    rows: arms.map(({ arm, served, servedUpTo, survives, survivesUpTo, gap, sentence }) => ({
      cells: [
        nameText(arm),
        bracketText(served, servedUpTo),
        bracketText(survives, survivesUpTo),
        gap === null ? NONE : formatPercent(gap),
        { prose: html`<div class="say-more">${sentence}</div>` },
      ],
    })),
  });
}

function bracketText(passed: number | null, failed: number | null): string {
  return `${passed === null ? "none" : formatNumber(passed)} / ${failed === null ? "none" : formatNumber(failed)}`;
}

function pointTable({ arms }: HysteresisMap): Html {
  return dataTable({
    caption: "The loads that were tried",
    head: ["Arm", "load, per s", { prose: "Trigger" }, "trials", "stuck", "share"],
    rows: arms.flatMap(({ arm, points }) =>
      points.map(({ rps, triggered, trials, stuck }) => ({
        cells: [
          nameText(arm),
          formatNumber(rps),
          { prose: triggered ? "with it" : "without" } as Cell,
          formatCount(trials),
          formatCount(stuck),
          trials === 0 ? NONE : formatPercent(stuck / trials),
        ],
      })),
    ),
  });
}
