import type { ArrivalCursor } from "../../src/plan/arrivals.ts";

/** [time in seconds, user] of the arrivals that are left, at most `limit` of them. */
export function collect(arrivals: ArrivalCursor, limit = Number.POSITIVE_INFINITY): [number, number][] {
  const collected: [number, number][] = [];
  while (collected.length < limit && arrivals.next()) collected.push([arrivals.timeSeconds, arrivals.user]);
  return collected;
}

/** The times of the arrivals that are left, at most `limit` of them. */
export function timesOf(arrivals: ArrivalCursor, limit = Number.POSITIVE_INFINITY): number[] {
  const times: number[] = [];
  while (times.length < limit && arrivals.next()) times.push(arrivals.timeSeconds);
  return times;
}
