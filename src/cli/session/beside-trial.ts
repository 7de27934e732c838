/** Something that goes on beside a trial in real time, such as what disturbs its target. */

import type { TrialSpec } from "../../engine/trial-spec.ts";
import type { TrialResult } from "../../result/schema.ts";

export interface BesideTrial {
  /** Called now and then while the trial runs. @param elapsedSeconds of the trial, its warm-up included. */
  progress(elapsedSeconds: number): void;
  /** The arrivals are to end. */
  stop(): void;
  /** The trial has ended, or failed. Resolves when nothing goes on any more. */
  ended(): Promise<void>;
  /** This process ends at once. */
  kill(): void;
  /** The trial with what is to be said of it; called when all has ended. */
  judged(trial: TrialResult): TrialResult;
}

export interface BesidePorts {
  note(text: string): void;
  /** Ends the experiment with this trial. */
  giveUp(): void;
}

/** Called when a real trial begins. */
export type StartBeside = (spec: TrialSpec, ports: BesidePorts) => BesideTrial;
