/**
 * The conservation law, checked at the end of every run in every world: nothing is counted twice and nothing is lost. A
 * breach is an error in this program, never a warning.
 */

import type { Recorder } from "./recorder.ts";
import { SERIES_COLUMNS } from "./series.ts";

/** A breach of the conservation law. */
export class ConservationError extends Error {
  override readonly name: string = "ConservationError";
}

/** @throws ConservationError that names both sides of the first equation that does not hold. */
export function checkConservation(recorder: Recorder): void {
  const { outcomes, classes } = recorder;
  const ended = sum(Object.values(outcomes));
  demand("planned calls", recorder.planned, "the sum of the outcomes", ended);
  const rejects = outcomes.throttled + outcomes.broken + outcomes.limited + outcomes.deadline;
  demand("attempts made", recorder.made, "sent + local rejects", recorder.sent + rejects);
  const classified = sum(Object.values(classes));
  demand("attempts sent", recorder.sent, "the attempt classes + in flight", classified + recorder.inFlightAtEnd);
  demand("waits recorded", recorder.wait.count, "attempts sent", recorder.sent);

  for (const [outcome, count] of Object.entries(outcomes)) {
    if (outcome === "dropped") continue;
    const recorded = recorder.response[outcome as keyof typeof outcomes]?.count ?? 0;
    demand(`response times of ${outcome}`, recorded, "calls", count);
  }
  const totals = { ...outcomes, offered: recorder.planned, late: 0, sent: recorder.sent, accepted: classes.accepted };
  for (const column of SERIES_COLUMNS) {
    demand(`the series of ${column}`, recorder.series.total(column), "its total", totals[column]);
  }
  demand("calls by user", sum(recorder.userPlanned), "planned calls", recorder.planned);
  demand("ok calls by user", sum(recorder.userOk), "ok calls", outcomes.ok);
}

function demand(left: string, leftCount: number, right: string, rightCount: number): void {
  if (leftCount === rightCount) return;
  throw new ConservationError(`Counts do not add up as ${left} (${leftCount}) must equal ${right} (${rightCount})`);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
