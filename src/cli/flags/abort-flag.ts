/** `--abort-on`: when a trial is to be given up, as in `errors>50%:10s,p99>2s:5s`. */

import type { AbortRule } from "../../engine/trial-spec.ts";
import { parseDuration } from "../../plan/units.ts";

/** @throws RangeError that says the rule and the value, but not the flag. */
export function parseAbort(text: string): readonly AbortRule[] {
  return text.split(",").map((part) => parseRule(part.trim()));
}

function parseRule(text: string): AbortRule {
  const [, kind, bound, length] = /^(errors|p50|p99)\s*>\s*([^:\s]+)\s*:\s*(\S+)$/u.exec(text) ?? [];
  if (bound === undefined || length === undefined) {
    throw new RangeError(
      `must list what is too much and for how long, as in errors>50%:10s,p99>2s:5s (errors, p50 or p99): current value is "${text}"`,
    );
  }
  // Judged second by second: nothing shorter can be seen.
  const forSeconds = parseDuration(length);
  if (!(forSeconds >= 1)) throw new RangeError(`must say for how long, at least 1s: current value is "${text}"`);
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
