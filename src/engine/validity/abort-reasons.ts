/** What a verdict says of a trial that a guard ended. */

import type { Reason } from "../../result/schema.ts";
import type { ValidityFacts } from "./facts.ts";
import { rounded } from "./grade.ts";

export function abortReasons({ aborted }: ValidityFacts): Reason[] {
  if (aborted === undefined) return [];
  const { atSeconds, text } = aborted;
  return [
    {
      code: "aborted",
      severity: "invalid",
      message: `Ended by --abort-on after ${rounded(atSeconds)} s (${text})`,
      figure: atSeconds,
      limit: 0,
      hint: "Unless a reason beside it blames this generator, the target could not take it: lower the load, or raise the bound if the target may bear more",
    },
  ];
}
