/**
 * The harness judges itself first: from a trial's figures to `valid`, `suspect` or `invalid`, with reasons as data. A
 * generator that fell behind must never report a number that looks like the target's.
 */

import type { Reason, TrialResult } from "../result/schema.ts";
import { abortReasons } from "./validity/abort-reasons.ts";
import { clientReasons } from "./validity/client-reasons.ts";
import type { ValidityFacts } from "./validity/facts.ts";
import { governorReasons } from "./validity/governor-reasons.ts";
import { machineReasons } from "./validity/machine-reasons.ts";
import { lateDropReasons, pacingReasons } from "./validity/pacing-reasons.ts";
import { sampleReasons } from "./validity/sample-reasons.ts";

export type Validity = TrialResult["validity"];

/** The verdict on one trial: the worst of its reasons; notes leave it valid. */
export function judge(facts: ValidityFacts): Validity {
  const reasons = [...spoilers(facts), ...sampleReasons(facts), ...governorReasons(facts), ...abortReasons(facts)];
  return { verdict: worst(reasons), reasons };
}

/** The verdict that a trial under way has earned so far, by the same limits: whether there is enough of it is not asked yet. */
export function judgeSoFar(facts: ValidityFacts): Validity {
  const reasons = spoilers(facts);
  return { verdict: worst(reasons), reasons };
}

function spoilers(facts: ValidityFacts): Reason[] {
  return [
    ...(facts.world === "real" ? [...pacingReasons(facts), ...machineReasons(facts)] : []),
    ...lateDropReasons(facts),
    ...clientReasons(facts),
  ];
}

/** Adds a reason found out later (a target that died) to a verdict. */
export function withReason(validity: Validity, reason: Reason): Validity {
  const reasons = [...validity.reasons, reason];
  return { verdict: worst(reasons), reasons };
}

function worst(reasons: readonly Reason[]): Validity["verdict"] {
  if (reasons.some((reason) => reason.severity === "invalid")) return "invalid";
  if (reasons.some((reason) => reason.severity === "suspect")) return "suspect";
  return "valid";
}
