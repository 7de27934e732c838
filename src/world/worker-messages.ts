/** What crosses between the main thread and a generator's thread. */

import type { TrialProgress, TrialSpec } from "../engine/trial-spec.ts";
import type { TrialResult } from "../result/schema.ts";

export interface WorkerInput {
  readonly spec: TrialSpec;
  /** 32-bit integers, see {@link STOP_FLAG}. */
  readonly control: SharedArrayBuffer;
}

/** Index into the control words: not 0 once the trial is to stop. */
export const STOP_FLAG = 0;

/** What the main thread answers to `ready`: the trial may start. */
export const GO = "go";

export type WorkerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly progress: TrialProgress }
  | { readonly kind: "trial"; readonly trial: TrialResult }
  | { readonly kind: "error"; readonly name: string; readonly message: string; readonly stack: string };
