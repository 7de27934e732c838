/** Whether there is enough of the trial to say anything by it. */

import type { Reason } from "../../result/schema.ts";
import type { ValidityFacts } from "./facts.ts";
import { rounded } from "./grade.ts";
import { SAMPLES_MIN, UNFINISHED_SHARE } from "./limits.ts";

export function sampleReasons(facts: ValidityFacts): Reason[] {
  return [
    ...unfinishedCalls(facts),
    ...fewSamples(facts),
    // A recovered trial has a reason of its own, and so has one that a guard ended.
    ...(facts.interrupted && !facts.recovered && facts.aborted === undefined ? [interruption(facts)] : []),
    ...shortRun(facts),
  ];
}

function unfinishedCalls({ calls, recovered }: ValidityFacts): Reason[] {
  const { unfinished, planned } = calls;
  if (unfinished === 0) return [];
  const still = unfinished === 1 ? "1 call was" : `${unfinished} calls were`;
  const end = recovered ? "journal" : "drain";
  return [
    {
      code: "unfinished",
      severity: unfinished > UNFINISHED_SHARE * planned ? "suspect" : "note",
      message: `${still} still under way when the ${end} ended: of the latency a lower bound is known`,
      figure: unfinished,
      limit: 0,
      hint: recovered ? "What became of them is not known: run it again to the end" : "Raise --drain to wait for them",
    },
  ];
}

function fewSamples({ calls }: ValidityFacts): Reason[] {
  if (calls.planned >= SAMPLES_MIN) return [];
  return [
    {
      code: "few-samples",
      severity: "suspect",
      message: `Only ${calls.planned} calls: too few for percentiles`,
      figure: calls.planned,
      limit: SAMPLES_MIN,
      hint: "Raise --duration or --rps",
    },
  ];
}

function interruption({ durationSeconds }: ValidityFacts): Reason {
  const measured = durationSeconds > 0;
  return {
    code: "interrupted",
    severity: measured ? "suspect" : "invalid",
    message: measured
      ? `Interrupted after ${rounded(durationSeconds)} s: the figures hold for that part only`
      : "Interrupted before the measured window began: nothing was measured",
    figure: durationSeconds,
    limit: 0,
    hint: "Run it again to the end",
  };
}

/** What a client has lived through before the trial counts: its window is as full of that as of a warm-up. */
function shortRun({ ageSeconds, warmupSeconds, durationSeconds, policyWindowSeconds }: ValidityFacts): Reason[] {
  const livedSeconds = ageSeconds + warmupSeconds + durationSeconds;
  if (policyWindowSeconds <= livedSeconds) return [];
  const [what, how] =
    ageSeconds === 0
      ? ["The run was shorter", "its clients were cold"]
      : [
          `The run and the ${ageSeconds} s before it, to which its clients were aged, were shorter`,
          "they were half cold",
        ];
  return [
    {
      code: "short-run",
      severity: "note",
      message: `${what} than the policy's window of ${policyWindowSeconds} s: ${how}`,
      figure: livedSeconds,
      limit: policyWindowSeconds,
      hint: `Age the clients (--age ${Math.ceil(policyWindowSeconds)}s), raise --duration or --warmup, or lower the policy's window to see its steady state`,
    },
  ];
}
