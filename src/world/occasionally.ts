import type { TrialProgress } from "../engine/trial-spec.ts";

/** Progress goes from thread to thread at most this often. */
const PROGRESS_MS = 200;

/** Hands progress on, but not more often than anybody can read it. */
export function occasionally(progress: (progress: TrialProgress) => void): (progress: TrialProgress) => void {
  let handedOnMs = Number.NEGATIVE_INFINITY;
  return (seen) => {
    const nowMs = performance.now();
    if (nowMs - handedOnMs < PROGRESS_MS) return;
    handedOnMs = nowMs;
    progress(seen);
  };
}
