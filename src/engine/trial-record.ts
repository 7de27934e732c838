/** From a finished loop and its recorder to the trial as it stands in the result file. */

import type { TrialResult } from "../result/schema.ts";
import { jain } from "../stats/jain.ts";
import { LatencyHistogram } from "./histogram.ts";
import type { OpenLoop } from "./open-loop.ts";
import type { Recorder } from "./recorder.ts";
import type { TrialSpec } from "./trial-spec.ts";
import { judge } from "./validity.ts";

/** What the world adds: how it was generated, and over which connections. */
export interface WorldFacts {
  readonly startedAt: string;
  readonly model?: string;
  readonly connections?: NonNullable<TrialResult["connections"]>;
  readonly generator?: NonNullable<TrialResult["generator"]>;
}

/** @param planHash the hash of the plan that was walked. */
export function trialRecord(
  spec: TrialSpec,
  planHash: string,
  loop: OpenLoop,
  recorder: Recorder,
  facts: WorldFacts,
): TrialResult {
  const durationSeconds = loop.arrivalsEndSeconds;
  const perSecond = (count: number): number => (durationSeconds > 0 ? count / durationSeconds : 0);
  const { outcomes, classes, planned, sent } = recorder;
  const calls = { planned, ...outcomes };
  const attempts = { made: recorder.made, sent, ...classes, inFlight: recorder.inFlightAtEnd };
  const lateness = recorder.lateness.summary();
  return {
    arm: spec.arm,
    pair: spec.pair,
    world: spec.world.kind,
    ...(facts.model === undefined ? {} : { model: facts.model }),
    policy: { name: spec.policy.name, options: { ...spec.policy.options } },
    plan: { hash: planHash, seed: spec.plan.seed, arrivals: planned },
    startedAt: facts.startedAt,
    durationSeconds,
    drainSeconds: Math.max(0, loop.doneSeconds - durationSeconds),
    interrupted: loop.interrupted,
    late: { boundMs: 0, sent: 0, dropped: 0 },
    calls,
    attempts,
    statuses: Object.fromEntries([...recorder.statuses].sort(([a], [b]) => a - b)),
    errors: Object.fromEntries([...recorder.errors].sort(([a], [b]) => (a < b ? -1 : 1))),
    rates: {
      offered: perSecond(planned),
      sent: perSecond(sent),
      accepted: perSecond(classes.accepted),
      goodput: perSecond(outcomes.ok),
    },
    amplification: planned > 0 ? sent / planned : 0,
    waste: sent > 0 ? (sent - classes.accepted) / sent : 0,
    latency: {
      response: summaries(recorder.response) as TrialResult["latency"]["response"],
      service: summaries(recorder.service),
      wait: recorder.wait.summary(),
      lateness,
    },
    series: recorder.series.rows(),
    users: fairness(recorder),
    ...(facts.connections === undefined ? {} : { connections: facts.connections }),
    ...(facts.generator === undefined ? {} : { generator: facts.generator }),
    validity: judge({
      world: spec.world.kind,
      interrupted: loop.interrupted,
      durationSeconds,
      calls,
      attempts,
      errors: Object.fromEntries(recorder.errors),
      lateness,
      handedAfterEnd: recorder.handedAfterEnd,
      maxInFlight: spec.maxInFlight,
      stealRatio: facts.generator?.stealRatio ?? 0,
      policyWindowSeconds: Number(spec.policy.options.window ?? 0),
    }),
  };
}

function summaries<K extends string>(histograms: Partial<Record<K, LatencyHistogram>>) {
  const result: Partial<Record<K, ReturnType<LatencyHistogram["summary"]>>> = {};
  for (const [key, histogram] of Object.entries(histograms)) {
    if (histogram instanceof LatencyHistogram) result[key as K] = histogram.summary();
  }
  return result;
}

/** How evenly the ok calls fell on the users that had calls at all. */
function fairness(recorder: Recorder): TrialResult["users"] {
  const ok = recorder.userOk.filter((_, user) => (recorder.userPlanned[user] as number) > 0);
  return {
    count: recorder.userOk.length,
    active: ok.length,
    jain: jain(ok),
    okMin: ok.reduce((least, count) => Math.min(least, count), ok[0] ?? 0),
    okMax: ok.reduce((most, count) => Math.max(most, count), 0),
  };
}
