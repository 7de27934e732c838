/** What disturbs the system in a recovery experiment, and how it is written: `slowdown=0.05:3s`, `spike=4:5s`, `outage:10s`, `hook:5s`. */

import { formatSeconds } from "../figures/number-format.ts";
import { formatDuration, parseDuration } from "../plan/units.ts";

/** Calls arrive `factor` times as often. */
interface SpikeTrigger {
  readonly kind: "spike";
  /** Above 1. */
  readonly factor: number;
  readonly seconds: number;
}

/** Work takes 1 / `factor` of its time. */
interface SlowdownTrigger {
  readonly kind: "slowdown";
  /** Above 0 and below 1. */
  readonly factor: number;
  readonly seconds: number;
}

/** Nothing is served: the built-in target and the models reject all. */
interface OutageTrigger {
  readonly kind: "outage";
  readonly seconds: number;
}

/** Whatever a command of the user's does in that time. */
interface HookTrigger {
  readonly kind: "hook";
  readonly seconds: number;
}

export type Trigger = SpikeTrigger | SlowdownTrigger | OutageTrigger | HookTrigger;

const FORMS = "slowdown=0.05:3s, spike=4:5s, outage:10s or hook:5s";
const FACTOR_MAX = 1000;

/** @throws RangeError that says the rule and the value, but not the flag. */
export function parseTrigger(text: string): Trigger {
  const groups = /^(?<kind>[a-z]+)(?:=(?<factor>\d+(?:\.\d+)?))?:(?<time>[^:]+)$/.exec(text)?.groups;
  if (groups === undefined) throw new RangeError(`must be written as in ${FORMS}: current value is "${text}"`);
  const { kind = "", factor, time = "" } = groups;
  const seconds = parseSeconds(time, text);
  switch (kind) {
    case "spike":
      return { kind, factor: parseFactor(kind, factor, text, 1, FACTOR_MAX), seconds };
    case "slowdown":
      return { kind, factor: parseFactor(kind, factor, text, 0, 1), seconds };
    case "outage":
    case "hook":
      if (factor === undefined) return { kind, seconds };
      throw new RangeError(`must give '${kind}' a time and no factor: current value is "${text}"`);
    default:
      throw new RangeError(`must be one of ${FORMS}, not '${kind}': current value is "${text}"`);
  }
}

/** In the syntax of {@link parseTrigger}. */
export function formatTrigger(trigger: Trigger): string {
  const time = formatDuration(trigger.seconds);
  return "factor" in trigger ? `${trigger.kind}=${trigger.factor}:${time}` : `${trigger.kind}:${time}`;
}

/** For the middle of a sentence. */
export function triggerWords(trigger: Trigger): string {
  const time = formatSeconds(trigger.seconds);
  switch (trigger.kind) {
    case "spike":
      return `a spike to ${trigger.factor} times the load for ${time}`;
    case "slowdown":
      return `a slow-down to ${Number((100 * trigger.factor).toPrecision(3))} % of the capacity for ${time}`;
    case "outage":
      return `an outage of ${time}`;
    case "hook":
      return `the hook's disturbance of ${time}`;
    default:
      return trigger satisfies never;
  }
}

function parseSeconds(time: string, text: string): number {
  let seconds: number;
  try {
    seconds = parseDuration(time);
  } catch (error) {
    throw new RangeError(`must last for a time: it ${(error as Error).message}, in "${text}"`);
  }
  const millis = 1000 * seconds;
  if (seconds > 0 && Math.abs(millis - Math.round(millis)) < 1e-3) return seconds;
  throw new RangeError(`must last for whole milliseconds, and at least one: current value is "${text}"`);
}

function parseFactor(kind: string, factor: string | undefined, text: string, above: number, below: number): number {
  const value = Number(factor ?? Number.NaN);
  if (value > above && value < below) return value;
  throw new RangeError(`must give '${kind}' a factor above ${above} and below ${below}: current value is "${text}"`);
}
