/**
 * The latency beside the work, of the network and of the generator itself: no counter has it. It is what the fastest attempts
 * took beyond what the worker must have spent on them:
 *
 * - the fastest accepted one found the worker idle, if it ever was, and took its own work;
 * - a rejection waits for one job at least, since there is one whenever the queue is full, and takes its own work.
 *
 * Either bounds the latency from above, so the least bound is taken. What is wrong with it: the mean lies above it by the jitter
 * of the network and the generator, which no constant has. And where the worker was never idle and never rejected, as a `fifo`
 * in overload from the warm-up on, the fastest attempt waited for others; then none is seen, and none is taken.
 */

import type { TrialResult } from "../result/schema.ts";

/** A share of time-outs from which on the worker had no idle moment that a warm-up would have left to see. */
const STUCK_RATIO = 0.05;

/**
 * In ms.
 *
 * @param rejectMs 0 where nothing is rejected.
 */
export function latencySeen(trial: TrialResult, acceptMs: number, rejectMs: number): number {
  const { attempts, latency, errors, warmup } = trial;
  const { accepted, overloaded } = latency.service;
  const bounds: number[] = [];
  const isStuck = warmup !== undefined && (errors.timeout ?? 0) > STUCK_RATIO * attempts.sent;
  if (accepted !== undefined && accepted.count > 0 && !isStuck) bounds.push(accepted.minMs - acceptMs);
  // Refused and reset connections are quick as well, and no answers.
  const answersOnly = Object.keys(errors).every((code) => code === "timeout");
  if (overloaded !== undefined && overloaded.count > overloaded.censored && answersOnly) {
    bounds.push(overloaded.minMs - acceptMs - rejectMs);
  }
  return bounds.length === 0 ? 0 : Math.max(0, Math.min(...bounds));
}
