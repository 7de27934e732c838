/** `--abort-on`: when a trial is to be given up, as in `errors>50%:10s,p99>500ms:5s`. */

import type { AbortRule } from "../../engine/trial-spec.ts";
import { formatDuration, parseDuration } from "../../plan/units.ts";
import { CliError } from "../cli-error.ts";

/** @throws RangeError that says the rule and the value, but not the flag. */
export function parseAbort(text: string): readonly AbortRule[] {
  return text.split(",").map((part) => parseRule(part.trim()));
}

/**
 * No attempt takes longer than its time-out: a bound that is not below it would guard nothing.
 *
 * @param timeoutSeconds the longest of the arms'.
 * @throws CliError
 */
export function checkAbort(rules: readonly AbortRule[], timeoutSeconds: number): void {
  for (const rule of rules) {
    if (rule.kind === "errors" || rule.seconds < timeoutSeconds) continue;
    throw new CliError(
      `--abort-on must bound ${rule.kind} below the time that an attempt may take (--timeout ${formatDuration(timeoutSeconds)}): current value is "${formatDuration(rule.seconds)}"`,
    );
  }
}

function parseRule(text: string): AbortRule {
  const [, kind, bound, length] = /^(errors|p50|p99)\s*>\s*([^:\s]+)\s*:\s*(\S+)$/u.exec(text) ?? [];
  if (bound === undefined || length === undefined) {
    throw new RangeError(
      `must list what is too much and for how long, as in errors>50%:10s,p99>500ms:5s (errors, p50 or p99): current value is "${text}"`,
    );
  }
  // Judged second by second: nothing shorter can be seen.
  const forSeconds = parseDuration(length);
  if (!(forSeconds >= 1 && Number.isInteger(forSeconds))) {
    throw new RangeError(`must say for how long in whole seconds, at least 1s: current value is "${text}"`);
  }
  if (kind === "errors") return { kind, share: shareOf(bound, text), forSeconds };
  const seconds = parseDuration(bound);
  if (!(seconds > 0)) throw new RangeError(`must bound the latency by more than nothing: current value is "${text}"`);
  return { kind: kind === "p50" ? "p50" : "p99", seconds, forSeconds };
}

function shareOf(bound: string, text: string): number {
  const [, percents] = /^(\d+(?:\.\d+)?)%$/u.exec(bound) ?? [];
  const share = Number(percents ?? Number.NaN) / 100;
  if (share >= 0 && share < 1) return share;
  throw new RangeError(`must bound errors by a share from 0% to below 100% such as 50%: current value is "${text}"`);
}
