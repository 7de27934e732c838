/** What is known of an arm of a sweep: medians over its trials, in the terms in which arms are chosen. */

import { latencyFigure, medianFigure } from "../figures/figure.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import type { Sweep } from "../result/sweep-schema.ts";
import { median } from "../stats/median.ts";
import { trialsOf } from "./arms.ts";

export interface ArmFacts {
  readonly arm: string;
  readonly point: Sweep["cells"][number]["point"];
  readonly policy: TrialResult["policy"];
  readonly trials: number;
  /** Per second. */
  readonly goodput: number;
  readonly offered: number;
  /** Of the calls, in the trial with the least. */
  readonly okShareMin: number;
  readonly waste: number;
  /** undefined where no call came back ok. */
  readonly p99Ms: number | undefined;
  /** After the simulated disturbance; infinite where it did not come back in time, undefined where nothing was simulated. */
  readonly recoverySeconds: number | undefined;
  /** So long was looked at. */
  readonly horizonSeconds: number | undefined;
  /** Options that differ from the policy's defaults. */
  readonly changes: number;
  readonly k: number | undefined;
}

/** @returns undefined for an arm without a trial that was measured to its end. */
export function factsOf(
  result: Pick<Result, "trials">,
  { arm, point, k, changes = 0 }: Sweep["cells"][number],
  recovery: Sweep["recovery"],
): ArmFacts | undefined {
  const trials = trialsOf(result.trials, arm);
  const first = trials[0];
  if (first === undefined) return undefined;
  const middle = (figure: (trial: TrialResult) => number): number => median(trials.map(figure));
  const simulated = recovery?.find((candidate) => candidate.arm === arm);
  return {
    arm,
    point,
    policy: first.policy,
    trials: trials.length,
    goodput: middle(({ rates }) => rates.goodput),
    offered: middle(({ rates }) => rates.offered),
    okShareMin: Math.min(...trials.map(({ calls }) => (calls.planned === 0 ? 1 : calls.ok / calls.planned))),
    waste: middle(({ waste }) => waste),
    p99Ms: medianFigure(trials.map(({ latency }) => latencyFigure(latency.response.ok, "p99Ms")))?.value,
    recoverySeconds: simulated === undefined ? undefined : (simulated.seconds ?? Number.POSITIVE_INFINITY),
    horizonSeconds: simulated?.horizonSeconds,
    changes,
    k,
  };
}

/** An arm as one says it: `sre with K = 1.5`, `retry`, `sre with K = 1.1, window = 10s`. */
export function spoken(
  axes: Sweep["axes"],
  { point, policy }: { readonly point: ArmFacts["point"]; readonly policy: ArmFacts["policy"] | undefined },
): string {
  const [named = policy?.name ?? "the policy", ...given] = (point.policy ?? policy?.name ?? "")
    .split(",")
    .filter(Boolean);
  const options = axes
    .filter(({ name, of }) => of === "policy" && name !== "policy" && point[name] !== undefined)
    .map(({ name }) => `${name}=${point[name]}`);
  const all = [...given, ...options].map((option) => option.replace(/^k=/u, "K=").replace("=", " = "));
  return all.length === 0 ? named : `${named} with ${all.join(", ")}`;
}
