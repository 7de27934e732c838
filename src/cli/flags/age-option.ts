/** `--age`: the healthy past that clients are given before a trial, `120s` or `120s,latency=20ms`. */

import type { AgeSpec, TrialSpec } from "../../engine/trial-spec.ts";
import { parseDuration } from "../../plan/units.ts";
import { checkAge } from "../../world/ageing.ts";
import { CliError } from "../cli-error.ts";
import type { Add } from "./add-option.ts";
import { positiveDuration } from "./flag-values.ts";

/** Commands that can age their clients have it. */
export interface AgeFlags {
  /** Of no length where the flag says none. */
  readonly age?: AgeSpec;
}

/** The answer of a backend nearby, at rest. */
const AGE_LATENCY_SECONDS = 0.005;

const NONE: AgeSpec = { seconds: 0, latencySeconds: 0 };
const FORM = "a time such as 120s or 120s,latency=20ms, or none";

/** @param fallbackSeconds the length of the past when the flag is not given; undefined: none. */
export function addAgeOption(add: Add, fallbackSeconds?: number): void {
  add(
    "--age <time>",
    `so much healthy traffic that each client has lived through before, simulated at the plan's first rate: 120s, or 120s,latency=20ms for other answers than of 5 ms${fallbackSeconds === undefined ? " (default: none, clients are cold)" : ", or none"}`,
    parseAge,
    fallbackSeconds === undefined ? undefined : agedFor(fallbackSeconds),
    fallbackSeconds === undefined ? undefined : `${fallbackSeconds}s`,
  );
}

/** A past of so many seconds, with the usual answers. */
export function agedFor(seconds: number): AgeSpec {
  return seconds > 0 ? { seconds, latencySeconds: AGE_LATENCY_SECONDS } : NONE;
}

/** `120s`, `120s,latency=20ms`, `none`. @throws RangeError that says the rule and the value, but not the flag. */
export function parseAge(text: string): AgeSpec {
  if (text.trim() === "none") return NONE;
  const [time = "", ...options] = text.split(",").map((part) => part.trim());
  const [, latency] = /^latency=(\S+)$/u.exec(options[0] ?? "") ?? [];
  if (options.length > 1 || (options.length === 1 && latency === undefined)) {
    throw new RangeError(`must be ${FORM}: current value is ${JSON.stringify(text)}`);
  }
  return ageOf(positiveDuration(time), latency === undefined ? AGE_LATENCY_SECONDS : parseDuration(latency));
}

/** @throws RangeError when there is no room for an answer. */
function ageOf(seconds: number, latencySeconds: number): AgeSpec {
  if (latencySeconds < seconds) return { seconds, latencySeconds };
  throw new RangeError(
    `must be longer than an answer takes in it, ${latencySeconds} s: current value is "${seconds}s"`,
  );
}

/** What a past that is none comes to. */
export function withAge(age: AgeSpec | undefined): Pick<TrialSpec, "age"> {
  return age === undefined || age.seconds === 0 ? {} : { age };
}

/** @throws CliError for a past that the trials of an arm cannot have. */
export function checkAges(
  common: Pick<TrialSpec, "age" | "governor" | "timeoutSeconds">,
  plan: TrialSpec["plan"],
  arms: readonly {
    readonly name: string;
    readonly own?: Partial<Pick<TrialSpec, "age" | "plan" | "timeoutSeconds">>;
  }[],
): void {
  for (const { name, own } of arms) {
    try {
      checkAge({ ...common, plan, ...own });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new CliError(`${own?.age === undefined ? "--age" : `--arm ${name}`}: ${error.message}`);
    }
  }
}
