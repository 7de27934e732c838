/** What it means for a call to be late: the generator came to it after its time, whatever the target did. */

import type { LatePolicy } from "./trial-spec.ts";

/**
 * A call that is sent anyway counts as late beyond this: the `timer` pacing is at most a few milliseconds late on a quiet
 * machine, and the verdict on a trial begins to doubt a lateness p99 of this size.
 */
const LATE_SECONDS = 0.01;

/** How long after its time a call counts as late, in seconds: where calls are dropped for it, the bound of that. */
export function lateBoundSeconds(late: LatePolicy): number {
  switch (late.kind) {
    case "send":
      return LATE_SECONDS;
    case "drop":
      return late.afterSeconds;
    default:
      return late satisfies never;
  }
}
