/**
 * The conservation law as a reader of a result file would check it, with nothing of the program's own check: histograms are
 * decoded, columns added up.
 */

import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import type { LatencySummary, Result, SeriesRow, TrialResult } from "../../src/result/schema.ts";

type Calls = TrialResult["calls"];
type Attempts = TrialResult["attempts"];

/** What does not add up in the trials of a result; empty when all does. */
export function imbalances(result: Result): string[] {
  return result.trials.flatMap((trial) => {
    const where = `${trial.arm} ${trial.pair + 1}`;
    return [...trialImbalances(trial)].map((what) => `${where}: ${what}`);
  });
}

function* trialImbalances(trial: TrialResult): Generator<string> {
  const { calls, attempts, latency, series, warmup } = trial;
  yield* countImbalances(calls, attempts, "");
  yield* differ("planned calls", calls.planned, "arrivals of the plan", trial.plan.arrivals);
  yield* differ("lateness", latency.lateness.count, "planned calls", calls.planned);
  yield* differ("waits", latency.wait.count, "attempts sent", attempts.sent);
  const outcomes = ["ok", "failed", "budget", "throttled", "broken", "limited", "deadline", "unfinished"] as const;
  for (const outcome of outcomes) {
    yield* differ(`response times ${outcome}`, latency.response[outcome]?.count ?? 0, "calls", calls[outcome]);
  }
  for (const [kind, summary] of Object.entries(latency.service)) {
    yield* exceeds(`service times ${kind}`, summary.count, "attempts", attempts[kind as keyof Attempts] ?? 0);
  }
  for (const summary of summariesOf(trial)) yield* histogramImbalances(summary);
  const ended = attempts.sent - attempts.inFlight - (attempts.cancelled ?? 0);
  const statuses = sum(Object.values(trial.statuses));
  const errors = sum(Object.values(trial.errors));
  yield* exceeds("statuses", statuses, "attempts ended", ended);
  yield* exceeds("errors", errors, "attempts ended", ended);
  yield* exceeds("attempts ended", ended, "statuses and errors", statuses + errors);
  yield* exceeds("late calls dropped", trial.late.dropped, "calls dropped", calls.dropped);
  const firstMeasured = warmup === undefined ? 0 : Math.round(warmup.seconds);
  // An interrupted warm-up ends in the middle of a second, and has nothing measured behind it.
  const measured = trial.interrupted && calls.planned === 0 ? [] : series.filter((row) => row.second >= firstMeasured);
  yield* seriesImbalances(measured, calls, attempts, "");
  if (warmup !== undefined) {
    yield* countImbalances(warmup.calls, warmup.attempts, " in the warm-up");
    const rows = series.filter((row) => !measured.includes(row));
    yield* seriesImbalances(rows, warmup.calls, warmup.attempts, " in the warm-up");
  }
  const { connections } = trial;
  if (connections !== undefined) {
    yield* exceeds(
      "connections opened + failed",
      connections.opened + connections.failed,
      "wanted",
      connections.wanted,
    );
    yield* exceeds("connections opened ahead", connections.preopened, "opened", connections.opened);
    yield* differ("connections by address", sum(Object.values(connections.addresses)), "opened", connections.opened);
  }
  if (trial.durationSeconds > 0) {
    const goodput = calls.ok / trial.durationSeconds;
    if (Math.abs(goodput - trial.rates.goodput) > 1e-9 * (1 + goodput)) yield "goodput is not ok / duration";
  }
}

function* countImbalances(calls: Calls, attempts: Attempts, where: string): Generator<string> {
  const { planned, ...outcomes } = calls;
  yield* differ(`planned calls${where}`, planned, "outcomes", sum(Object.values(outcomes)));
  const rejects = calls.throttled + calls.broken + calls.limited + calls.deadline;
  yield* differ(`attempts made${where}`, attempts.made, "sent + local rejects", attempts.sent + rejects);
  const { made: _made, sent, ...classes } = attempts;
  yield* differ(
    `attempts sent${where}`,
    sent,
    "classes + in flight",
    sum(Object.values(classes).map((count) => count ?? 0)),
  );
}

function* seriesImbalances(
  rows: readonly SeriesRow[],
  calls: Calls,
  attempts: Attempts,
  where: string,
): Generator<string> {
  const total = (column: keyof SeriesRow): number => sum(rows.map((row) => row[column]));
  const { planned, ...outcomes } = calls;
  yield* differ(`series offered${where}`, total("offered"), "planned calls", planned);
  yield* differ(`series sent${where}`, total("sent"), "attempts sent", attempts.sent);
  yield* differ(`series accepted${where}`, total("accepted"), "attempts accepted", attempts.accepted);
  for (const [outcome, count] of Object.entries(outcomes)) {
    yield* differ(`series ${outcome}${where}`, total(outcome as keyof SeriesRow), "calls", count);
  }
}

function summariesOf({ latency, generator }: TrialResult): LatencySummary[] {
  const { response, service, wait, lateness } = latency;
  const sentinel = generator?.sentinel?.response;
  return [
    ...Object.values(response),
    ...Object.values(service),
    wait,
    lateness,
    ...(sentinel === undefined ? [] : [sentinel]),
  ];
}

function* histogramImbalances({ count, hdr, p50Ms, p90Ms, p99Ms, p999Ms, maxMs, censored }: LatencySummary) {
  const held = hdr === "" ? 0 : decodeFromCompressedBase64(hdr).totalCount;
  yield* differ("values in a histogram", held, "its count", count);
  yield* exceeds("censored values", censored, "its count", count);
  const rising = [p50Ms, p90Ms, p99Ms, p999Ms, maxMs];
  if (rising.some((value, index) => value < (rising[index - 1] ?? 0))) yield `percentiles fall: ${rising.join(" ")}`;
}

function* differ(left: string, leftCount: number, right: string, rightCount: number): Generator<string> {
  if (leftCount !== rightCount) yield `${left} (${leftCount}) is not ${right} (${rightCount})`;
}

function* exceeds(left: string, leftCount: number, right: string, rightCount: number): Generator<string> {
  if (leftCount > rightCount) yield `${left} (${leftCount}) exceeds ${right} (${rightCount})`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
