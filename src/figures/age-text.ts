import type { TrialResult } from "../result/schema.ts";
import { formatSeconds } from "./number-format.ts";

/** What the clients of a trial had behind them: `aged 120 s`, or `cold`. */
export function ageText({ age }: Pick<TrialResult, "age">): string {
  return age === undefined ? "cold" : `aged ${formatSeconds(age.seconds)}`;
}
