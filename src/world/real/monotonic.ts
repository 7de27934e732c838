/** The real world's clock: monotonic, in seconds, as fine as the runtime gives it. */

import { performance } from "node:perf_hooks";

/** Seconds since an arbitrary origin, the same for all callers in this thread. */
export function monotonicSeconds(): number {
  return performance.now() / 1000;
}
