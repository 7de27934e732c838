/** What drives the load of a trial, or ends it, beside its plan: the governor, and guards. */

import { AbortGuard } from "./abort-guard.ts";
import type { CallSource } from "./call-source.ts";
import { GovernedLoad } from "./governed-load.ts";
import type { OpenLoop } from "./open-loop.ts";
import type { Scheduler } from "./ports.ts";
import type { Recorder } from "./recorder.ts";
import type { TrialGain } from "./trial-gain.ts";
import type { GovernedPart, TrialPart } from "./trial-part.ts";
import type { TrialSpec } from "./trial-spec.ts";

export class TrialSteering {
  readonly #spec: Pick<TrialSpec, "governor" | "abortOn" | "plan">;
  readonly #recorder: Recorder;
  readonly #aborted: () => void;
  #load: GovernedLoad | undefined;
  #guard: AbortGuard | undefined;

  /** @param aborted told when a guard has ended the arrivals. */
  constructor(spec: Pick<TrialSpec, "governor" | "abortOn" | "plan">, recorder: Recorder, aborted: () => void) {
    this.#spec = spec;
    this.#recorder = recorder;
    this.#aborted = aborted;
  }

  /**
   * To be called once, when the loop is made.
   *
   * @param stop ends its arrivals.
   * @returns where its calls come from; undefined: from the plan.
   * @throws RangeError for a guard that cannot be kept.
   */
  begin(scheduler: Scheduler, stop: () => void): CallSource | undefined {
    const { governor, abortOn, plan } = this.#spec;
    if (abortOn !== undefined && abortOn.length > 0) {
      this.#guard = new AbortGuard(abortOn, scheduler, () => {
        stop();
        this.#aborted();
      });
      this.#recorder.addWatcher(this.#guard);
    }
    if (governor !== undefined) this.#load = new GovernedLoad(governor, plan, scheduler, this.#recorder);
    return this.#load;
  }

  /** What ended them, or will, is decided: a load that ran whole, or had held, is not given up in its drain. */
  arrivalsEnded(): void {
    this.#guard?.arrivalsEnded();
  }

  /** What is to be told of it while the trial runs, since it was last asked. */
  takeGain(): Pick<TrialGain, "governed" | "aborted"> {
    const governed = this.#load?.takeGain();
    const aborted = this.#guard?.aborted;
    return {
      ...(governed === undefined ? {} : { governed }),
      ...(aborted === undefined ? {} : { aborted }),
    };
  }

  /** What came of it. @param loop that has ended. */
  part(loop: OpenLoop): Pick<TrialPart, "governed" | "aborted"> {
    const load = this.#load;
    const aborted = this.#guard?.aborted;
    if (load === undefined) return { governed: undefined, aborted };
    const { windows, events, held } = load;
    const cutShort = aborted === undefined ? "interrupted" : "aborted";
    const ended: GovernedPart["ended"] = held ? "held" : loop.interrupted ? cutShort : "duration";
    return { governed: { ended, windows: [...windows], events: [...events] }, aborted };
  }
}
