/** The flags of `sweep`: those of every load, of which some take lists, and what it adds. */

import type { Command } from "commander";
import { parseCount } from "../../../plan/units.ts";
import { type Add, adderFor, type Parse } from "../../flags/add-option.ts";
import { addAgeOption } from "../../flags/age-option.ts";
import { limit } from "../../flags/assert-options.ts";
import { parseRps, type RpsFlag } from "../../flags/capacity-rate.ts";
import { addComparisonOptions, addRepeatOptions, addResumeOption } from "../../flags/experiment-options.ts";
import { positiveDuration, positiveNumber } from "../../flags/flag-values.ts";
import { addGovernorOption } from "../../flags/governor-flag.ts";
import { addLoadOptions, type LoadFlags } from "../../flags/load-options.ts";
import { type PolicyChoice, parsePolicy } from "../../flags/policy-flag.ts";
import { type Listed, parseList, parsePolicyList } from "../../flags/value-list.ts";

/** What is varied of a policy: one of its options, and the values as they are written. */
interface Variation {
  readonly option: string;
  readonly values: readonly Listed<string>[];
}

type Swept = "policy" | "k" | "window" | "timeout" | "rps" | "vus";

/** The flags as commander gives them: lists where another command has one value. */
export interface SweepFlags extends Omit<LoadFlags, Swept> {
  readonly policy?: readonly Listed<PolicyChoice>[];
  readonly k?: readonly Listed<number>[];
  readonly window?: readonly Listed<number>[];
  readonly timeout: readonly Listed<number>[];
  readonly rps?: readonly Listed<RpsFlag>[];
  readonly vus: readonly Listed<number>[];
  readonly vary: readonly Variation[];
  readonly limit: readonly string[];
  readonly repeats: number;
  readonly recovery: boolean;
}

/** Long enough for a steady state with {@link DEFAULT_WINDOW}, and for many trials in a few minutes. */
export const DEFAULT_SECONDS = 10;
const WARMUP_SECONDS = 5;
/** With 400 calls a second, each has enough of them in a window of {@link DEFAULT_WINDOW} for its policy to go by. */
const VUS = 50;
const PAIRS = 3;

/** K where the flags say nothing of policies: from hardly more than is accepted to twice what is usual. */
export const DEFAULT_K = "1.1,1.5,2,3";
/** The window that goes with it on the built-in target, so that each trial lasts five of them. */
export const DEFAULT_WINDOW = "3s";

export function addSweepOptions(command: Command): void {
  const add = adderFor(command);
  addLoadOptions(command, listFlags(add)).optionsGroup(
    "Sweep (lists are 1.1,1.5,2 or ranges: 500..4000/8 has 8 values):",
  );
  add("--vary <option=list>", "any other option of the policies: maxAttempts=1,2,3; may be repeated", vary, []);
  add("--limit <assertion>", "what an arm must keep to be recommended: 'waste<=0.3'; may be repeated", limit, []);
  add("--no-recovery", "do not simulate how long each arm takes to come back after a disturbance");
  addRepeatOptions(add, PAIRS, "pairs: each cell once, in an order that is balanced, on the same arrivals");
  addComparisonOptions(add);
  addAgeOption(add);
  addGovernorOption(add);
  addResumeOption(add);
}

type Arguments = Parameters<Add>;

/** Adds flags as they are, but for those of which a sweep takes lists or has another default. */
function listFlags(add: Add): Add {
  const lists = new Map<string, Arguments>(LISTS.map((flag) => [longName(flag[0]), flag]));
  return (...flag) => {
    const [flags, text, parse] = flag;
    const name = longName(flags);
    if (name === "--warmup") add(flags, text, parse, WARMUP_SECONDS, `${WARMUP_SECONDS}s`);
    else add(...(lists.get(name) ?? flag));
  };
}

function longName(flags: string): string {
  return /--[a-z-]+/u.exec(flags)?.[0] ?? flags;
}

function listOf<T>(parse: (text: string) => T): Parse {
  return (text) => parseList(text, parse);
}

function one<T>(text: string, value: T): readonly Listed<T>[] {
  return [{ text, value }];
}

const LISTS: readonly Arguments[] = [
  [
    "-p, --policy <list>",
    "policies to compare, each with its options: sre,k=1.5,aws-adaptive,retry (default: sre)",
    (text: string) => parsePolicyList(text, parsePolicy),
  ],
  ["--k <list>", `values of the option k: 1.1,1.5,2 (default without --policy: ${DEFAULT_K})`, listOf(positiveNumber)],
  [
    "--window <list>",
    `values of the option window: 10s,30s (default for the built-in target without --policy: ${DEFAULT_WINDOW})`,
    listOf(positiveDuration),
  ],
  ["-t, --timeout <list>", "times an attempt may take: 200ms,1s", listOf(positiveDuration), one("1s", 1), "1s"],
  [
    "-r, --rps <list>",
    "calls per second: 500,1000 or 500..4000/8; also 0.9x-capacity,2x-capacity, which is found first (default for the built-in target: 400)",
    listOf(parseRps),
  ],
  ["-u, --vus <list>", "virtual users, each a client of its own: 10,100", listOf(parseCount), one("50", VUS), "50"],
  ["-d, --duration <time>", "how long calls arrive in each trial: 30s, 2m, 1m30s (default: 10s)", positiveDuration],
];

/** `maxAttempts=1,2,3` */
function vary(text: string, before: readonly Variation[]): readonly Variation[] {
  const [, option, list] = /^\s*([A-Za-z]\w*)\s*=(.+)$/u.exec(text) ?? [];
  if (option === undefined || list === undefined) {
    throw new RangeError(
      `must be an option and its values, as in maxAttempts=1,2,3: current value is ${JSON.stringify(text)}`,
    );
  }
  if (before.some((earlier) => earlier.option === option)) {
    throw new RangeError(`must give the values of '${option}' once: current value is ${JSON.stringify(text)}`);
  }
  return [...before, { option, values: parseList(list, (value) => value) }];
}
