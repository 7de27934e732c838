/** From what was measured of a trial, by one thread or several, to the trial as it stands in the result file. */

import type { PlanLabel } from "../plan/plan-label.ts";
import type { TrialResult } from "../result/schema.ts";
import { jain } from "../stats/jain.ts";
import { classRows } from "./class-tally.ts";
import { checkConservation } from "./conservation.ts";
import { governedRecord } from "./governed-record.ts";
import { type HistogramData, LatencyHistogram } from "./histogram.ts";
import { lateBoundSeconds } from "./late.ts";
import { seriesRows } from "./series.ts";
import { eachLatency, type TallyData } from "./tally.ts";
import type { TrialPart, WorldFacts } from "./trial-part.ts";
import type { RecordedSpec } from "./trial-spec.ts";
import { recoveryReasons } from "./validity/recovery-reasons.ts";
import { sentinelReasons } from "./validity/sentinel-reasons.ts";
import { judge, withReason } from "./validity.ts";

/**
 * @param label of the plan that was walked.
 * @param part all that was measured, see {@link mergeParts}.
 * @throws ConservationError when counts do not add up.
 */
export function trialRecord(spec: RecordedSpec, label: PlanLabel, part: TrialPart): TrialResult {
  checkConservation(part);
  const { measured, facts, warmupSeconds, arrivalsEndSeconds } = part;
  const governor = spec.governor === undefined ? undefined : governedRecord(spec.governor, part.governed);
  const cameShort = part.interrupted || governor?.ended === "held";
  const durationSeconds = cameShort ? Math.max(0, arrivalsEndSeconds - warmupSeconds) : spec.plan.durationSeconds;
  const perSecond = (count: number): number => (durationSeconds > 0 ? count / durationSeconds : 0);
  const { outcomes, classes, planned, sent } = measured;
  const calls = callsOf(measured);
  const attempts = attemptsOf(measured);
  const errors = Object.fromEntries([...measured.errors].sort(([a], [b]) => (a < b ? -1 : 1)));
  const lateness = summaryOf(measured.lateness);
  const sentinel = sentinelOf(facts);
  const late = {
    boundMs: 1000 * lateBoundSeconds(spec.late),
    sent: measured.lateStarted,
    dropped: measured.lateDropped,
  };
  const verdict = judge({
    world: spec.world.kind,
    pacing: spec.world.kind === "real" ? spec.world.pacing : undefined,
    interrupted: part.interrupted,
    recovered: part.recovered,
    warmupSeconds: Math.min(warmupSeconds, arrivalsEndSeconds),
    durationSeconds,
    calls,
    attempts,
    errors,
    late,
    lateness: { p99Ms: 1000 * part.worstLatenessP99Seconds, p999Ms: lateness.p999Ms },
    startedAfterEnd: measured.startedAfterEnd,
    maxInFlight: spec.maxInFlight,
    workers: spec.workers,
    generator: facts.generator,
    policyWindowSeconds: Number(spec.policy.options.window ?? 0),
    ageSeconds: facts.age?.seconds ?? 0,
    governor,
    aborted: part.aborted,
  });
  return {
    arm: spec.arm,
    pair: spec.pair,
    world: spec.world.kind,
    ...(facts.model === undefined ? {} : { model: facts.model }),
    ...(facts.script === undefined ? {} : { script: facts.script }),
    policy: { name: spec.policy.name, options: { ...spec.policy.options } },
    plan: { ...label, seed: spec.plan.seed, arrivals: planned },
    startedAt: facts.startedAt,
    durationSeconds,
    ...(warmupSeconds > 0 ? { warmup: warmupOf(part) } : {}),
    late,
    ...(facts.age === undefined ? {} : { age: facts.age }),
    ...(governor === undefined ? {} : { governor }),
    ...(part.aborted === undefined ? {} : { aborted: part.aborted }),
    drainSeconds: part.drainSeconds,
    interrupted: part.interrupted,
    ...(part.recovered ? { recovered: true } : {}),
    calls,
    attempts,
    statuses: Object.fromEntries([...measured.statuses].sort(([a], [b]) => a - b)),
    errors,
    rates: {
      offered: perSecond(planned),
      sent: perSecond(sent),
      accepted: perSecond(classes.accepted),
      goodput: perSecond(outcomes.ok),
    },
    amplification: planned > 0 ? sent / planned : 0,
    waste: sent > 0 ? (sent - classes.accepted) / sent : 0,
    latency: {
      response: eachLatency(measured.response, summaryOf) as TrialResult["latency"]["response"],
      service: eachLatency(measured.service, summaryOf),
      wait: summaryOf(measured.wait),
      lateness,
    },
    series: seriesRows(part.series),
    ...fairness(part),
    ...(part.classCounts === undefined ? {} : { criticality: classRows(part.classCounts) }),
    ...(facts.transport === undefined ? {} : { transport: facts.transport }),
    ...(facts.connections === undefined ? {} : { connections: facts.connections }),
    ...(facts.generator === undefined ? {} : { generator: { ...facts.generator, ...sentinel } }),
    validity: [...sentinelReasons(sentinel.sentinel), ...recoveryReasons(part), ...(facts.remarks ?? [])].reduce(
      withReason,
      verdict,
    ),
  };
}

function callsOf({ planned, outcomes }: TallyData): TrialResult["calls"] {
  return { planned, ...outcomes };
}

function attemptsOf({ made, sent, classes, inFlightAtEnd }: TallyData): TrialResult["attempts"] {
  const { cancelled, ...settled } = classes;
  return { made, sent, ...settled, ...(cancelled === 0 ? {} : { cancelled }), inFlight: inFlightAtEnd };
}

function warmupOf({ warmup, warmupSeconds, arrivalsEndSeconds }: TrialPart): TrialResult["warmup"] & object {
  return {
    seconds: Math.min(warmupSeconds, arrivalsEndSeconds),
    calls: callsOf(warmup),
    attempts: attemptsOf(warmup),
  };
}

function sentinelOf({ sentinel }: WorldFacts): Pick<NonNullable<TrialResult["generator"]>, "sentinel"> {
  if (sentinel === undefined) return {};
  const { response, worstP90Seconds, ...rest } = sentinel;
  return {
    sentinel: {
      ...rest,
      response: summaryOf(response),
      worstP90Ms: Math.round(1e6 * worstP90Seconds) / 1000,
    },
  };
}

function summaryOf(data: HistogramData): ReturnType<LatencyHistogram["summary"]> {
  const histogram = new LatencyHistogram();
  histogram.add(data);
  return histogram.summary();
}

/** How evenly the ok calls fell on the users that had calls at all. */
function fairness({ userPlanned, userOk }: TrialPart): Pick<TrialResult, "users"> {
  if (userPlanned === undefined || userOk === undefined) return {};
  const ok = userOk.filter((_, user) => (userPlanned[user] as number) > 0);
  const users = {
    count: userOk.length,
    active: ok.length,
    jain: jain(ok),
    okMin: ok.reduce((least, count) => Math.min(least, count), ok[0] ?? 0),
    okMax: ok.reduce((most, count) => Math.max(most, count), 0),
  };
  return { users };
}
