/** The options of backoffs, which differ by preset in name and default only. */

import type { NumberSpec } from "../option.ts";

export function delayOption(defaultSeconds: number, doc: string): NumberSpec {
  return { default: defaultSeconds, kind: "number", min: 0, max: 3600, unit: "seconds", doc };
}
