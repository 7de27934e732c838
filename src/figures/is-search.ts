/** Which results are searches for a capacity. */

import type { Result } from "../result/schema.ts";

/**
 * The trials of a search climb to the capacity, and back off: means over all of one, such as its goodput, are figures of no load.
 * Those at rest stand in its `governor`, and in the result's `capacity`.
 */
export function isSearch({ command }: Pick<Result, "command">): boolean {
  return command === "capacity";
}
