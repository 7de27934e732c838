import { parseScript, type ScriptChange } from "../../src/plan/script.ts";
import type { OverloadableOptions } from "./options.ts";

/** Longest work of one request: the processor is kept busy for it in one go, and the target is deaf meanwhile. */
export const WORK_MS_MAX = 10_000;
/** Longest time that an answer is held back. */
const LATENCY_SECONDS_MAX = 3600;

/**
 * Parses the script of a target with these options.
 *
 * @throws RangeError that says the rule and the value, but not the flag.
 */
export function parseTargetScript(
  text: string,
  options: Pick<OverloadableOptions, "mode" | "acceptMs" | "rejectMs" | "slopeMs" | "coldCost">,
): readonly ScriptChange[] {
  const script = parseScript(text);
  if (script.some((change) => change.backend !== undefined)) {
    throw new RangeError(`must name no backend by @ as the target is one: current value is "${text}"`);
  }
  const workMs = workMsMax(options);
  for (const change of script) {
    const factor = leastFactor(change);
    if (factor > 0 && workMs / factor > WORK_MS_MAX) {
      throw new RangeError(
        `must leave the work of a request at ${WORK_MS_MAX} ms or less, not ${workMs} ms / ${factor}: ` +
          `current value is "${text}"`,
      );
    }
    if (change.kind === "latency" && change.addedSeconds > LATENCY_SECONDS_MAX) {
      throw new RangeError(`must hold answers back for at most ${LATENCY_SECONDS_MAX} s: current value is "${text}"`);
    }
  }
  return script;
}

/** The most that a change of the capacity can stretch. */
function workMsMax({
  mode,
  acceptMs,
  rejectMs,
  slopeMs,
  coldCost,
}: Pick<OverloadableOptions, "mode" | "acceptMs" | "rejectMs" | "slopeMs" | "coldCost">): number {
  switch (mode) {
    case "shed":
    case "fifo":
      return Math.max(acceptMs * (coldCost ?? 1), rejectMs);
    case "slope":
      return slopeMs;
    case "bernoulli":
      return 0;
    default:
      return mode satisfies never;
  }
}

/** An outage's work is done as usual. */
function leastFactor(change: ScriptChange): number {
  return change.kind === "capacity" ? Math.min(change.factor, change.toFactor ?? change.factor) : 1;
}
