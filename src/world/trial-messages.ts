/** What crosses between the main thread and a thread that executes whole trials, one after another. */

import type { TrialProgress, TrialSpec } from "../engine/trial-spec.ts";
import type { TrialResult } from "../result/schema.ts";

export interface TrialThreadInput {
  /** 32-bit integers, one array for all threads of a pool, see {@link STOP_FLAG}. */
  readonly control: SharedArrayBuffer;
}

/** Sent to the thread when it is ready for a trial. */
export interface TrialMessage {
  readonly spec: TrialSpec;
}

export type TrialThreadMessage =
  /** It has loaded all that it needs; said once. */
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly progress: TrialProgress }
  | { readonly kind: "trial"; readonly trial: TrialResult }
  /** The trial failed, or the thread could not be loaded. */
  | { readonly kind: "error"; readonly name: string; readonly message: string; readonly stack: string };
