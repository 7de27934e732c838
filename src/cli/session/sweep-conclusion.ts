/** What follows from the trials of a sweep, by its result alone: the same while it runs, when it has ended, and of a file. */

import { type Recommendations, recommend } from "../../comparison/recommend.ts";
import { closedFormOf, lawOfTrials } from "../../experiment/sweep-law.ts";
import { evaluateForArm } from "../../gate/evaluate.ts";
import { parseAssertion } from "../../gate/parse.ts";
import type { Result } from "../../result/schema.ts";
import type { Sweep } from "../../result/sweep-schema.ts";
import { percentile } from "../flags/assert-options.ts";

/** A result of another command is left as it is. */
export function concludeSweep(result: Result): Result {
  const { sweep, trials } = result;
  if (sweep === undefined) return result;
  // A model's are known from the start.
  const shown = trials.some(({ world }) => world === "real") ? closedFormOf(lawOfTrials(trials)) : sweep.closedForm;
  const { closedForm: _before, overall: _overall, ...rest } = sweep;
  const known: Sweep = { ...rest, ...(shown === undefined ? {} : { closedForm: shown }) };
  return { ...result, sweep: { ...known, ...recommended(result, known) } };
}

function recommended(result: Result, sweep: Sweep): Recommendations {
  if (result.trials.length === 0) return { recommendations: [] };
  const limits = new Map(sweep.limits.map((limit) => [limit, parseAssertion(limit)]));
  return recommend(result, sweep, (limit, arm) => {
    const assertion = limits.get(limit) ?? parseAssertion(limit);
    return evaluateForArm(assertion, result, arm, { percentile });
  });
}
