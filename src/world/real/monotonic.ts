/** The real world's clock: monotonic, in seconds, as fine as the runtime gives it. */

import { performance } from "node:perf_hooks";

/** Seconds since an arbitrary origin, the same for all callers in this thread. */
export function monotonicSeconds(): number {
  return performance.now() / 1000;
}

/**
 * Milliseconds on which the threads of this process agree to well under one: each has an origin of its own, and these are
 * since 1970. For appointments between threads; a time is measured with {@link monotonicSeconds}.
 */
export function sharedMs(): number {
  return performance.timeOrigin + performance.now();
}

/** A moment in {@link sharedMs} as {@link monotonicSeconds} of this thread. */
export function secondsOfSharedMs(momentMs: number): number {
  return (momentMs - performance.timeOrigin) / 1000;
}
