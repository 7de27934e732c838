/**
 * The conservation law, checked at the end of every run in every world, of each worker and of their sum: nothing is counted
 * twice and nothing is lost. A breach is an error in this program, never a warning.
 */

import { SERIES_COLUMNS, type SeriesColumn, type SeriesColumns } from "./series.ts";
import type { Tallied } from "./tally.ts";

/** A breach of the conservation law. */
export class ConservationError extends Error {
  override readonly name: string = "ConservationError";
}

/** The counts that must add up. */
export interface Ledger {
  /** Whole seconds: the series is split there. */
  readonly warmupSeconds: number;
  readonly warmup: Tallied<Counted>;
  readonly measured: Tallied<Counted>;
  readonly series: SeriesColumns;
  /** Calls of the measured window by user; undefined where users are not known, in a trial recovered from its journal. */
  readonly userPlanned: Uint32Array | undefined;
  readonly userOk: Uint32Array | undefined;
}

interface Counted {
  readonly count: number;
}

/** The columns that can be split at the end of the warm-up. */
type IntendedColumn = Exclude<SeriesColumn, "sentInSecond">;
const INTENDED_COLUMNS = SERIES_COLUMNS.filter((column) => column !== "sentInSecond");

/** @throws ConservationError that names both sides of the first equation that does not hold. */
export function checkConservation(ledger: Ledger): void {
  const { warmup, measured, warmupSeconds, series } = ledger;
  checkTally(measured, "");
  checkSeries(measured, series, warmupSeconds, Number.POSITIVE_INFINITY, "");
  checkTally(warmup, " of the warm-up");
  checkSeries(warmup, series, 0, warmupSeconds, " of the warm-up");
  // A retry of a call of the warm-up may be sent in the measured window.
  demand("the series of sentInSecond", sum(series.sentInSecond), "attempts sent", warmup.sent + measured.sent);
  const { userPlanned, userOk } = ledger;
  if (userPlanned !== undefined) demand("calls by user", sum(userPlanned), "planned calls", measured.planned);
  if (userOk !== undefined) demand("ok calls by user", sum(userOk), "ok calls", measured.outcomes.ok);
}

/** @param where names the stretch of the trial in the message. */
function checkTally(tally: Tallied<Counted>, where: string): void {
  const { planned, made, sent, outcomes, classes, response } = tally;
  demand(`planned calls${where}`, planned, "the sum of the outcomes", sum(Object.values(outcomes)));
  const rejects = outcomes.throttled + outcomes.broken + outcomes.limited + outcomes.deadline;
  demand(`attempts made${where}`, made, "sent + local rejects", sent + rejects);
  const classified = sum(Object.values(classes));
  demand(`attempts sent${where}`, sent, "the attempt classes + in flight", classified + tally.inFlightAtEnd);
  demand(`waits recorded${where}`, tally.wait.count, "attempts sent", sent);
  demand(`latenesses recorded${where}`, tally.lateness.count, "planned calls", planned);
  for (const [outcome, count] of Object.entries(outcomes)) {
    if (outcome === "dropped") continue;
    const recorded = response[outcome as keyof typeof outcomes]?.count ?? 0;
    demand(`response times of ${outcome}${where}`, recorded, "calls", count);
  }
  for (const [attemptClass, latency] of Object.entries(tally.service)) {
    // An attempt that never had a connection has no service time.
    atMost(`service times of ${attemptClass}${where}`, latency.count, "attempts", classes[attemptClass as never]);
  }
  atMost(`late calls dropped${where}`, tally.lateDropped, "calls dropped", outcomes.dropped);
  atMost(`late calls started${where}`, tally.lateStarted, "calls not dropped", planned - outcomes.dropped);
  atMost(`calls started after the end${where}`, tally.startedAfterEnd, "calls not dropped", planned - outcomes.dropped);
}

function checkSeries(
  tally: Tallied<Counted>,
  series: SeriesColumns,
  fromSecond: number,
  toSecond: number,
  where: string,
): void {
  const totals: Readonly<Record<IntendedColumn, number>> = {
    ...tally.outcomes,
    offered: tally.planned,
    late: tally.lateStarted + tally.lateDropped,
    sent: tally.sent,
    accepted: tally.classes.accepted,
  };
  for (const column of INTENDED_COLUMNS) {
    const total = sum(series[column].subarray(fromSecond, toSecond));
    demand(`the series of ${column}${where}`, total, "its total", totals[column]);
  }
}

function demand(left: string, leftCount: number, right: string, rightCount: number): void {
  if (leftCount === rightCount) return;
  throw new ConservationError(`Counts do not add up as ${left} (${leftCount}) must equal ${right} (${rightCount})`);
}

function atMost(left: string, leftCount: number, right: string, rightCount: number): void {
  if (leftCount <= rightCount) return;
  throw new ConservationError(
    `Counts do not add up as ${left} (${leftCount}) must be at most ${right} (${rightCount})`,
  );
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
