/** What crosses between the main thread and a generator's thread. */

import type { TrialGain } from "../engine/trial-gain.ts";
import type { TrialPart } from "../engine/trial-part.ts";
import type { TrialProgress, TrialSpec } from "../engine/trial-spec.ts";

export interface WorkerInput {
  /** The whole trial; the worker takes its own share. */
  readonly spec: TrialSpec;
  /** Which of the trial's workers this is, 0-based. */
  readonly shard: number;
  /** 32-bit integers, one array for all workers of a trial, see {@link STOP_FLAG}. */
  readonly control: SharedArrayBuffer;
}

/** Index into the control words: not 0 once the trial is to stop. */
export const STOP_FLAG = 0;

/** What the main thread answers when all workers are ready: the trial may start. */
export interface GoMessage {
  /** The common start, in {@link sharedMs}; undefined: at once. */
  readonly startMs: number | undefined;
}

export type WorkerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "measuring" }
  | { readonly kind: "progress"; readonly progress: TrialProgress }
  | { readonly kind: "gained"; readonly gain: TrialGain }
  | { readonly kind: "part"; readonly part: TrialPart }
  | { readonly kind: "error"; readonly name: string; readonly message: string; readonly stack: string };
