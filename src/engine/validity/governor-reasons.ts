/** Whether the offer of a governor came to rest before its time was over. */

import type { Governed, GovernedWindowRow } from "../../result/governor-schema.ts";
import type { Reason } from "../../result/schema.ts";
import { hasMetBound, isSteady, lastWindows, spreadOf } from "../governed-hold.ts";
import type { ValidityFacts } from "./facts.ts";
import { percent, rounded } from "./grade.ts";

/** What else ends a trial early has reasons of its own. */
export function governorReasons({ governor, durationSeconds }: ValidityFacts): Reason[] {
  if (governor?.ended !== "duration") return [];
  return [
    {
      code: "capacity-not-held",
      severity: "suspect",
      ...whyNotHeld(governor, rounded(durationSeconds)),
    },
  ];
}

/** A step of 1 is within every band. */
function bandOfOne(windows: readonly GovernedWindowRow[]): number {
  return 1 / Math.min(...windows.map(({ offer }) => offer));
}

function whyNotHeld(governor: Governed, seconds: string): Pick<Reason, "message" | "figure" | "limit" | "hint"> {
  const { windows, holdWindows, holdBand, ceiling } = governor;
  const bound = ceiling ?? Number.POSITIVE_INFINITY;
  const last = lastWindows(windows, governor);
  const spread = spreadOf(last);
  const told = last.filter(({ decision }) => decision !== "none").length;
  const begun = `The offer had not come to rest after ${seconds} s:`;
  if (told < holdWindows) {
    return {
      message: `${begun} of the last ${holdWindows} windows only ${told} had attempts to judge by`,
      figure: told,
      limit: holdWindows,
      hint: "Raise --duration, or shorten the window of --governor",
    };
  }
  if (!isSteady(last, { ...governor, ceiling: bound })) {
    return {
      message: `${begun} over the last ${holdWindows} windows it moved by ${percent(spread)}`,
      figure: spread,
      limit: Math.max(holdBand, bandOfOne(last)),
      hint: "Raise --duration, or widen the band of --governor",
    };
  }
  const met = hasMetBound(windows, { high: governor.high, ceiling: bound });
  const offer = last.at(-1)?.offer ?? 0;
  return {
    message: met
      ? `${begun} it held only as the time was over`
      : `${begun} no failures had cut it yet, and it was below its ceiling`,
    figure: offer,
    limit: ceiling ?? offer,
    hint: "Raise --duration, or start --governor nearer to the capacity",
  };
}
