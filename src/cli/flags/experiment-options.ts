/** The flags of experiments with more than one trial: how many, what decides, what is shared, what is continued. */

import { SMALLEST_EFFECT } from "../../comparison/defaults.ts";
import { parseCount, parseDuration } from "../../plan/units.ts";
import type { Add } from "./add-option.ts";
import { effect, oneOf } from "./flag-values.ts";

export const DEFAULT_PAUSE_SECONDS = 2;

export function addRepeatOptions(add: Add, repeats: number, text: string): void {
  add("--repeats <count>", text, parseCount, repeats, String(repeats));
  add(
    "--pause <time>",
    "rest between trials, for a target whose counters cannot be read",
    parseDuration,
    DEFAULT_PAUSE_SECONDS,
    `${DEFAULT_PAUSE_SECONDS}s`,
  );
}

/** What the comparison of arms goes by. */
export function addComparisonOptions(add: Add): void {
  add(
    "--effect <share>",
    "the smallest change of goodput that matters: 5%, 2.5%",
    effect,
    SMALLEST_EFFECT,
    `${100 * SMALLEST_EFFECT}%`,
  );
  add(
    "--chance <whose>",
    "random numbers of policies, jitter, network and model: common to the arms of a pair, or each arm's own",
    oneOf(["common", "own"]),
    "common",
    "common",
  );
}

export function addResumeOption(add: Add): void {
  add(
    "--resume <file>",
    "a partial result or a journal to continue: its complete trials are kept, the rest is run, all of it goes to a new file",
  );
}
