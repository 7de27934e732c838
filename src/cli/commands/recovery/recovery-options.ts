/** The flags of `recovery`: those of every load but what the command itself says of it, and what it adds. */

import type { Command } from "commander";
import { parseTrigger, type Trigger } from "../../../experiment/recovery-trigger.ts";
import { parseDuration } from "../../../plan/units.ts";
import { POOLED_SECONDS } from "../../../stats/recovery-time.ts";
import { type Add, adderFor } from "../../flags/add-option.ts";
import { addAgeOption } from "../../flags/age-option.ts";
import { type ArmChoice, parseArm } from "../../flags/arm-flag.ts";
import { addComparisonOptions, addRepeatOptions, addResumeOption } from "../../flags/experiment-options.ts";
import { positiveDuration } from "../../flags/flag-values.ts";
import { addGovernorOption } from "../../flags/governor-flag.ts";
import { addLoadOptions, type LoadFlags } from "../../flags/load-options.ts";
import type { PolicyChoice } from "../../flags/policy-flag.ts";
import { addMapOptions, type MapFlags } from "./map-options.ts";

/** The flags as commander gives them. */
export interface RecoveryFlags extends Omit<LoadFlags, "policy" | "timeout">, MapFlags {
  readonly policy?: PolicyChoice;
  readonly timeout?: number;
  readonly arm?: readonly ArmChoice[];
  readonly repeats: number;
  readonly trigger?: Trigger;
  readonly hook?: string;
  readonly settle: number;
  readonly horizon: number;
  readonly within: number;
}

/**
 * A server of 200 calls/s that does the work of clients who have long given up, which is what a retry storm lives on. At 80 calls/s three
 * attempts of each are more than that, so that plain retries keep a storm alive for good. The bound on its queue
 * is ten times what can be done within the time-out: it lets the target come to rest between trials.
 */
export const BUILT_IN = { target: "fifo:acceptMs=5,fifoQueue=500", rps: 80, timeoutSeconds: 0.2 } as const;
export const TIMEOUT_SECONDS = 1;
/** With the load of {@link BUILT_IN} each has twenty calls in every window of the default arms. */
const VUS = 40;
export const AGE_SECONDS = 120;
/** Below so many seeds a share says little. */
export const REPEATS = 10;
const SETTLE_SECONDS = 10;
const HORIZON_SECONDS = 60;
const WITHIN_SECONDS = 10;

/** Flags that would say what `recovery` says itself: how the load goes, what happens to the target, and what decides. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "--duration",
  "--stages",
  "--sine",
  "--replay",
  "--replay-speed",
  "--script",
  "--effect",
]);

export function addRecoveryOptions(command: Command): void {
  const add = adderFor(command);
  addLoadOptions(command, ownFlags(add)).optionsGroup("Experiment:");
  add(
    "--arm <arm>",
    "a name, its policy and options, to be repeated: off:policy=retry, on:policy=sre,k=2, mine:policy=./mine.ts,age=none (default: plain retries, a retry budget and a throttle)",
    parseArm,
  );
  add(
    "--trigger <what>",
    "what disturbs the system, and for how long: slowdown=0.05:3s (that share of the capacity), spike=4:5s (times the load), outage:10s; with --hook hook:10s or outage:10s (default: slowdown=0.05:3s, with --hook hook:10s)",
    parseTrigger,
  );
  add(
    "--hook <command>",
    "do the trigger by your own command: a shell runs it as `<command> start` and `<command> end`",
  );
  add("--settle <time>", "base load before the trigger, in the measured window", settle, SETTLE_SECONDS, "10s");
  add("--horizon <time>", "base load after the trigger: later is never", horizon, HORIZON_SECONDS, "60s");
  add("--within <time>", "the bound on the median recovery: later is not stable", parseDuration, WITHIN_SECONDS, "10s");
  addRepeatOptions(add, REPEATS, "seeds: each arm once with each, on the same arrivals");
  addComparisonOptions(ownFlags(add));
  addAgeOption(add, AGE_SECONDS);
  addMapOptions(add);
  addGovernorOption(add);
  addResumeOption(add);
}

/** Adds flags as they are, but for those that are left out or have another default. */
function ownFlags(add: Add): Add {
  return (...flag) => {
    const [flags, text, parse] = flag;
    const name = /--[a-z-]+/u.exec(flags)?.[0] ?? flags;
    if (LEFT_OUT.has(name)) return;
    if (name === "--policy") {
      add(flags, `the policy, where there is but one: ${text}`, parse);
    } else if (name === "--vus") {
      add(flags, text, parse, VUS, String(VUS));
    } else if (name === "--timeout") {
      add(flags, `${text} (default: 1s; for the built-in target 200ms)`, parse);
    } else if (name === "--rps" || name === "--target") {
      add(flags, text.replace(/\(default[^)]*\)/u, defaultText(name)), parse);
    } else {
      add(...flag);
    }
  };
}

function defaultText(name: "--rps" | "--target"): string {
  return name === "--rps"
    ? `(the base load; default for the built-in target: ${BUILT_IN.rps})`
    : `(default: ${BUILT_IN.target})`;
}

/** @throws RangeError */
function settle(text: string): number {
  const seconds = positiveDuration(text);
  if (seconds >= 1) return seconds;
  throw new RangeError(`must be at least 1s, for there to be a before: current value is "${text}"`);
}

/** @throws RangeError */
function horizon(text: string): number {
  const seconds = positiveDuration(text);
  if (seconds >= POOLED_SECONDS) return seconds;
  throw new RangeError(
    `must be at least ${POOLED_SECONDS}s, as a recovery is told by so many seconds: current value is "${text}"`,
  );
}
