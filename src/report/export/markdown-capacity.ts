/** A capacity in Markdown: its figures, and what the knee looks like. */

import { formatCount, formatMs, formatNumber, formatPercent, formatRate, NONE } from "../../figures/number-format.ts";
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
    command === "capacity" ? "### Capacity" : "### The capacity that the load is a multiple of",
    "",
    ...(command === "capacity" ? [] : [escapeMarkdown(capacity.sentence), ""]),
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

function figureRows(capacity: Capacity): string[][] {
  const { control, failureBound, failedShare, held, saturated, offer, goodput, interval, kneeOffer } = capacity;
  return [
    ["At rest", saturated ? "no: a saturation artefact, and no capacity" : held ? "yes" : "no: the offer did not hold"],
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

function offerText(offer: number, control: Capacity["control"]): string {
  switch (control) {
    case "rate":
      return formatRate(offer);
    case "concurrency":
      return `${formatNumber(offer)} calls at once`;
    default:
      return control satisfies never;
  }
}
