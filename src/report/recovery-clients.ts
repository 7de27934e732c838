/** What the clients of a recovery had behind them, as its reports say it. */

import { ageText } from "../figures/age-text.ts";
import type { Result } from "../result/schema.ts";
import { shorten } from "./shorten.ts";

const NAME_WIDTH_MAX = 40;

/** `clients aged 120 s`, `cold clients`, or where the arms differ `clients of old aged 120 s, of new cold`; of the trials. */
export function recoveryClientsText({ trials, design }: Pick<Result, "trials" | "design">): string {
  const all = [...new Set(trials.map(ageText))];
  const [only = "cold"] = all;
  if (all.length < 2) return only === "cold" ? "cold clients" : `clients ${only}`;
  const told = design.arms.flatMap((arm) => {
    const ages = new Set(trials.filter((trial) => trial.arm === arm).map(ageText));
    return ages.size === 0 ? [] : [`of ${shorten(arm, NAME_WIDTH_MAX)} ${[...ages].join(" and ")}`];
  });
  return `clients ${told.join(", ")}`;
}
