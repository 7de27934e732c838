/** The trials of an experiment under way: one after another in the real world, several at a time in the virtual one. */

import type { TrialSpec } from "../engine/trial-spec.ts";
import { withReason } from "../engine/validity.ts";
import { labelOf } from "../plan/plan-label.ts";
import type { Reason, TrialResult } from "../result/schema.ts";
import type { ExperimentPorts, RealPorts, TargetWatch, VirtualPorts } from "./experiment.ts";

/** What was saved is written anew when so many times as many trials have ended: all saving then costs what a few saves cost. */
const SAVE_AGAIN_AT = 1.25;

export interface CourseOptions extends Pick<ExperimentPorts, "world" | "happened" | "stopRequested"> {
  /** The trials there will be when all of them have run. */
  readonly total: number;
  /** What was said of this machine before the run: goes with every trial. */
  readonly remarks: readonly Reason[];
  /** Whether the target may show traces of what was before. Default no. */
  readonly preceded?: boolean;
  saveSoFar(trials: readonly TrialResult[]): Promise<void>;
}

export class Course {
  readonly #options: CourseOptions;
  readonly #trials: TrialResult[];
  /** Whether the target may show traces of what was before. */
  #hasBegun: boolean;
  #savedCount = 0;

  /** @param kept trials that ended before this run. */
  constructor(options: CourseOptions, kept: readonly TrialResult[]) {
    this.#options = options;
    this.#hasBegun = options.preceded ?? false;
    this.#trials = [...kept];
  }

  /** Those that ended, in the order in which they did. */
  get trials(): readonly TrialResult[] {
    return this.#trials;
  }

  /** Runs these trials, or as many as begin before a stop is requested. */
  async run(specs: readonly TrialSpec[]): Promise<void> {
    const { world } = this.#options;
    if (specs.length === 0) return;
    if (world.kind === "real") await this.#oneAfterAnother(specs, world);
    else await this.#severalAtATime(specs, world);
  }

  async #oneAfterAnother(specs: readonly TrialSpec[], world: RealPorts): Promise<void> {
    const { remarks, total, stopRequested } = this.#options;
    for (const spec of specs) {
      const busy = this.#hasBegun ? await world.target.untilIdle() : undefined;
      this.#hasBegun = true;
      if (stopRequested()) return;
      this.#trials.push(await this.#realTrial(spec, busy === undefined ? remarks : [...remarks, busy], world));
      if (this.#trials.length < total) await this.#options.saveSoFar([...this.#trials]);
      if (stopRequested()) return;
    }
  }

  async #realTrial(spec: TrialSpec, remarks: readonly Reason[], world: RealPorts): Promise<TrialResult> {
    const { happened } = this.#options;
    happened({ kind: "trialStarts", spec, planned: labelOf(spec.plan), remarks });
    let watch: TargetWatch | undefined;
    const measured = await world
      .execute(spec, async () => {
        watch = await world.target.watch();
      })
      .catch(async (error: unknown) => {
        await watch?.end();
        throw error;
      });
    const { stats, script, reason } = (await watch?.end()) ?? {};
    const found = reason === undefined ? remarks : [...remarks, reason];
    const trial = {
      ...measured,
      ...(script === undefined ? {} : { script }),
      ...(stats === undefined ? {} : { target: stats }),
      validity: found.reduce(withReason, measured.validity),
    };
    happened({ kind: "trialEnded", trial });
    return trial;
  }

  async #severalAtATime(specs: readonly TrialSpec[], world: VirtualPorts): Promise<void> {
    const { remarks, total, happened } = this.#options;
    let saving: Promise<void> = Promise.resolve();
    await world.simulate(specs, {
      started(index) {
        const spec = specs[index] as TrialSpec;
        happened({ kind: "trialStarts", spec, planned: labelOf(spec.plan), remarks });
      },
      ended: (_index, measured) => {
        const trial = { ...measured, validity: remarks.reduce(withReason, measured.validity) };
        this.#trials.push(trial);
        happened({ kind: "trialEnded", trial });
        const count = this.#trials.length;
        if (count === total || count < SAVE_AGAIN_AT * this.#savedCount) return saving;
        this.#savedCount = count;
        const soFar = [...this.#trials];
        saving = saving.then(() => this.#options.saveSoFar(soFar));
        return saving;
      },
    });
  }
}
