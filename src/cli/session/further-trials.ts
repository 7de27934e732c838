/** Trials beside those of the experiment: they answer a question of their own, and are in no pair. */

import type { TrialSpec } from "../../engine/trial-spec.ts";
import { Course, type CourseOptions } from "../../experiment/course.ts";
import type { RealPorts, VirtualPorts } from "../../experiment/experiment.ts";
import type { TrialResult } from "../../result/schema.ts";

export interface FurtherTrial {
  readonly spec: TrialSpec;
  /** Whether what disturbs a real target is to happen: its script, its hook. In a simulation the specification says it. */
  readonly triggered: boolean;
  /** What it is called while it runs. */
  readonly label: string;
}

/**
 * Runs them, after others that may have left the target busy.
 *
 * @param worldFor where trials run to which something happens, or nothing.
 * @returns those that ended, by their index: undefined of one that did not begin.
 */
export async function runFurther(
  trials: readonly FurtherTrial[],
  worldFor: (trial: FurtherTrial) => RealPorts | VirtualPorts,
  { remarks, stopRequested }: Pick<CourseOptions, "remarks" | "stopRequested">,
): Promise<readonly (TrialResult | undefined)[]> {
  const done: (TrialResult | undefined)[] = trials.map(() => undefined);
  const [first] = trials;
  if (first === undefined) return done;
  const simulated = worldFor(first);
  if (simulated.kind === "virtual") {
    const hooks = {
      started() {},
      async ended(index: number, trial: TrialResult) {
        done[index] = trial;
      },
    };
    const specs = trials.map(({ spec }) => spec);
    await simulated.simulate(specs, hooks);
    return done;
  }
  for (const [index, trial] of trials.entries()) {
    const world = worldFor(trial) as RealPorts;
    const busy = await world.target.untilIdle();
    if (stopRequested()) return done;
    const course = new Course(
      {
        total: 1,
        remarks: busy === undefined ? remarks : [...remarks, busy],
        world,
        happened() {},
        stopRequested,
        async saveSoFar() {},
      },
      [],
    );
    await course.run([trial.spec]);
    done[index] = course.trials[0];
  }
  return done;
}
