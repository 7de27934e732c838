/** Whether the trials of a file can be those of the experiment that it is to continue: files are edited, and put together by hand. */

import { placeOf } from "../../experiment/with-trials.ts";
import type { TrialResult } from "../../result/schema.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";

/** What keeps trials from being taken over: one line each. */
export function trialFaults(
  trials: readonly TrialResult[],
  { arms, pairs }: Pick<PlannedExperiment, "arms" | "pairs">,
): readonly string[] {
  const seen = new Set<string>();
  return trials.flatMap((trial) => {
    const { arm, pair, policy } = trial;
    const name = `${arm} in pair ${pair + 1}`;
    const planned = arms.find((candidate) => candidate.name === arm);
    const isTwice = seen.has(placeOf(trial));
    seen.add(placeOf(trial));
    if (planned === undefined) return [`${name}: the experiment has no arm '${arm}'`];
    if (pair >= pairs) return [`${name}: the experiment has ${pairs} pair${pairs === 1 ? "" : "s"}`];
    if (isTwice) return [`${name}: the trial is there twice`];
    if (policy.name !== planned.policy.name) {
      return [`${name}: its policy is ${policy.name}, that of the arm is ${planned.policy.name}`];
    }
    return unbalanced(trial).map((fault) => `${name}: ${fault}`);
  });
}

/** The conservation law, as far as a file has its counts. */
function unbalanced(trial: TrialResult): readonly string[] {
  const { warmup, calls, attempts, latency, series, plan } = trial;
  return [
    ...tallyFaults("", calls, attempts),
    ...(warmup === undefined ? [] : tallyFaults(" of the warm-up", warmup.calls, warmup.attempts)),
    ...mustEqual("calls planned", calls.planned, "arrivals of its plan", plan.arrivals),
    ...mustEqual("waits recorded", latency.wait.count, "attempts sent", attempts.sent),
    ...mustEqual("latenesses recorded", latency.lateness.count, "calls planned", calls.planned),
    ...Object.entries(latency.response).flatMap(([outcome, { count }]) =>
      mustEqual(`response times of ${outcome}`, count, "calls", calls[outcome as keyof typeof latency.response]),
    ),
    ...(["ok", "throttled", "failed"] as const).flatMap((outcome) => {
      const total = series.reduce((sum, row) => sum + row[outcome], 0);
      return mustEqual(`the series of ${outcome}`, total, "calls", calls[outcome] + (warmup?.calls[outcome] ?? 0));
    }),
  ];
}

function tallyFaults(
  where: string,
  { planned, ...outcomes }: TrialResult["calls"],
  { made, sent, ...classes }: TrialResult["attempts"],
): readonly string[] {
  const rejects = outcomes.throttled + outcomes.broken + outcomes.limited + outcomes.deadline;
  return [
    ...mustEqual(`calls planned${where}`, planned, "the sum of their outcomes", sum(outcomes)),
    ...mustEqual(`attempts sent${where}`, sent, "the sum of their classes and what was in flight", sum(classes)),
    ...mustEqual(`attempts made${where}`, made, "sent + local rejects", sent + rejects),
  ];
}

function mustEqual(left: string, leftCount: number, right: string, rightCount: number): readonly string[] {
  return leftCount === rightCount ? [] : [`${left} (${leftCount}) must equal ${right} (${rightCount})`];
}

function sum(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);
}
