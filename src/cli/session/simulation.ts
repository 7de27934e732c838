/** Virtual trials, several at a time: how far they are is shown, what is known of each is told. */

import type { TrialSpec } from "../../engine/trial-spec.ts";
import type { SimulationHooks } from "../../experiment/experiment.ts";
import { createPlan } from "../../plan/plan.ts";
import type { TrialResult } from "../../result/schema.ts";
import type { RunningTrials } from "../../world/trial-pool.ts";
import type { Progress } from "../live/progress.ts";
import { SimulationProgress } from "../live/simulation-progress.ts";
import type { Services } from "../services.ts";

/** What goes on around them. */
export interface SimulationContext {
  /** Trials at a time. */
  readonly workers: number;
  /** Of a single trial. */
  readonly label: string;
  stopRequested(): boolean;
  /** The trial with what is to be said of it. */
  judged(spec: TrialSpec, trial: TrialResult): TrialResult;
  /** What an error is to the user. @param spec the trial that failed, if one did. */
  explained(spec: TrialSpec | undefined, error: unknown): unknown;
}

export class Simulation {
  readonly #services: Services;
  readonly #progress: Progress;
  #running: RunningTrials | undefined;

  constructor(services: Services, progress: Progress) {
    this.#services = services;
    this.#progress = progress;
  }

  async run(specs: readonly TrialSpec[], hooks: SimulationHooks, context: SimulationContext): Promise<void> {
    const { workers, label } = context;
    const expected = specs.map((spec) => createPlan(spec.plan).expectedArrivals);
    const course = new SimulationProgress(expected, () => performance.now());
    const atATime = Math.min(workers, specs.length);
    this.#progress.begin(specs.length === 1 ? label : `${specs.length} trials, ${atATime} at a time`, 0);
    let failed: number | undefined;
    this.#running = this.#services.startTrials(specs, {
      workers,
      started(index) {
        course.started(index);
        hooks.started(index);
      },
      progress: (index, seen) => {
        course.advanced(index, seen);
        this.#progress.simulated(course.text());
      },
      ended: (index, trial) => {
        course.ended(index, trial);
        this.#progress.simulated(course.text());
        return hooks.ended(index, context.judged(specs[index] as TrialSpec, trial));
      },
      failed(index) {
        failed = index;
      },
    });
    if (context.stopRequested()) this.#running.stop();
    try {
      await this.#running.result;
    } catch (error) {
      throw context.explained(failed === undefined ? undefined : specs[failed], error);
    } finally {
      this.#running = undefined;
    }
  }

  stop(): void {
    this.#running?.stop();
  }

  kill(): void {
    this.#running?.kill();
  }
}
