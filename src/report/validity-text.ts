/** What the harness says about its own measurement, as text. */

import { sortedReasons } from "../figures/shared-reasons.ts";
import { verdictCounts } from "../figures/verdicts.ts";
import type { Reason, TrialResult } from "../result/schema.ts";
import { LINE_WIDTH, wrap } from "./wrap.ts";

const WORST_FIRST = ["invalid", "suspect", "note"] as const;
const INDENT = " ".repeat(11);
/** More trials than this are not listed one by one. */
const LISTED_MAX = 6;

/** `3 valid`, or `2 valid, 1 suspect`. */
export function verdictSummary(trials: readonly TrialResult[]): string {
  const counts = verdictCounts(trials);
  const parts = (["valid", "suspect", "invalid"] as const).filter((verdict) => counts[verdict] > 0);
  return parts.map((verdict) => `${counts[verdict]} ${verdict}`).join(", ");
}

/** The first words of a report on one trial. */
export function verdictHead(validity: TrialResult["validity"]): string {
  const codes = [
    ...new Set(validity.reasons.filter((reason) => reason.severity === validity.verdict).map((reason) => reason.code)),
  ];
  const why = codes.length === 0 ? "" : ` (${codes.join(", ")})`;
  switch (validity.verdict) {
    case "valid":
      return "Valid measurement:";
    case "suspect":
      return `SUSPECT measurement${why}, read with care:`;
    case "invalid":
      return `INVALID measurement${why}, do not trust it:`;
    default:
      return validity.verdict satisfies never;
  }
}

/** The reasons of one trial, worst first, each with its hint. Empty where there is none. */
export function reasonLines(reasons: readonly Reason[], width: number = LINE_WIDTH): string[] {
  return WORST_FIRST.flatMap((severity) => reasons.filter((reason) => reason.severity === severity)).flatMap(
    (reason) => [
      ...wrap(`${reason.message} [${reason.code}]`, `  ${reason.severity.padEnd(9)}`, undefined, width),
      ...wrap(reason.hint, `${INDENT}-> `, undefined, width),
    ],
  );
}

/**
 * The reasons of several trials, worst first. A reason that many trials share is told once, with the figures of the first
 * and the list of the trials.
 */
export function sharedReasonLines(trials: readonly TrialResult[], width: number = LINE_WIDTH): string[] {
  return sortedReasons(trials).flatMap(({ reason, where }) => {
    const names = where.map(({ arm, pair }) => `${arm} ${pair + 1}`);
    const subject = names.length === 1 ? `${names[0]}:` : `${names.length} trials (${listed(names)}), the first:`;
    return [
      ...wrap(`${subject} ${reason.message} [${reason.code}]`, `  ${reason.severity.padEnd(9)}`, undefined, width),
      ...wrap(reason.hint, `${INDENT}-> `, undefined, width),
    ];
  });
}

function listed(names: readonly string[]): string {
  return names.length <= LISTED_MAX ? names.join(", ") : `${names.slice(0, LISTED_MAX).join(", ")}, ...`;
}
