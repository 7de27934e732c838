/** A capacity in Markdown: its figures, and what the knee looks like. */

import { isSearch } from "../../figures/is-search.ts";
import { formatCount, formatMs, formatNumber, formatPercent, formatRate, NONE } from "../../figures/number-format.ts";
import { offerText } from "../../figures/offer-text.ts";
import type { Capacity } from "../../result/governor-schema.ts";
import type { Result } from "../../result/schema.ts";
import { type Column, escapeMarkdown, markdownTable } from "./markdown-text.ts";

const FIGURES: readonly Column[] = [
  ["Figure", "left"],
  ["Value", "right"],
];
const KNEE: readonly Column[] = [
  ["Offer", "right"],
  ["Goodput", "right"],
  ["Failed", "right"],
  ["p50 service", "right"],
  ["p99 service", "right"],
  ["Windows", "right"],
];

/** Of a command whose load is a multiple of the capacity, the sentence too: its own answer is another. */
export function capacityLines({ command, capacity }: Result): string[] {
  if (capacity === undefined) return [];
  const { knee, control } = capacity;
  return [
    isSearch({ command }) ? "### Capacity" : "### The capacity that the load is a multiple of",
    "",
    ...(isSearch({ command }) ? [] : [escapeMarkdown(capacity.sentence), ""]),
    ...markdownTable(FIGURES, figureRows(capacity)),
    "",
    ...(knee.length === 0
      ? []
      : [
          ...markdownTable(
            KNEE,
            knee.map(({ offer, goodput, failedShare, p50Ms, p99Ms, windows }) => [
              offerText(offer, control),
              formatRate(goodput),
              formatPercent(failedShare),
              p50Ms === null ? NONE : formatMs(p50Ms),
              p99Ms === null ? NONE : formatMs(p99Ms),
              formatCount(windows),
            ]),
          ),
          "",
        ]),
    "The windows of the search by their offer; service times are medians over them.",
  ];
}

function restText({ uncaused, saturated, held }: Capacity): string {
  if (uncaused === true) return "among failures that the load does not cause, so no capacity";
  if (saturated) return "no: a saturation artefact, and no capacity";
  return held ? "yes" : "no: the offer did not hold";
}

function figureRows(capacity: Capacity): string[][] {
  const { control, failureBound, failedShare, offer, goodput, interval, kneeOffer } = capacity;
  return [
    ["At rest", restText(capacity)],
    ["Goodput", formatRate(goodput)],
    ...(interval === null
      ? []
      : [
          [
            `${formatPercent(interval.confidence)} interval`,
            `${formatNumber(interval.low)} to ${formatRate(interval.high)}, over ${formatCount(interval.windows)} windows`,
          ],
        ]),
    ["Offer", offerText(offer, control)],
    ["Attempts that failed", `${formatPercent(failedShare)}, declared bearable ${formatPercent(failureBound)}`],
    ["Knee", kneeOffer === null ? "not reached" : offerText(kneeOffer, control)],
  ];
}
