/** The null server of a session's sentinels. Nothing that becomes of it fails the session: trials go on without. */

import type { TrialSpec } from "../../engine/trial-spec.ts";
import { noSentinel } from "../../engine/validity/sentinel-reasons.ts";
import type { Reason } from "../../result/schema.ts";
import type { ProgramProcess } from "../../world/real/program-process.ts";

/** A trial as it is to be run, and what is to be said of its sentinel. */
export interface Equipped {
  readonly spec: TrialSpec;
  readonly remark: Reason | undefined;
}

export class SentinelServer {
  #started: Promise<ProgramProcess | Error> | undefined;
  #process: ProgramProcess | undefined;

  /** Begins to start it. Nobody waits: it gets ready beside all else that a session does before its first trial. */
  begin(start: () => Promise<ProgramProcess>): void {
    this.#started = start().then(
      (ready) => {
        this.#process = ready;
        return ready;
      },
      (error: Error) => error,
    );
  }

  /** Gives a real trial its sentinel, as far as there is one. */
  async equip(spec: TrialSpec): Promise<Equipped> {
    const started = await this.#started;
    if (started === undefined || spec.world.kind === "virtual") return { spec, remark: undefined };
    if (started instanceof Error) {
      return { spec, remark: noSentinel(`could not be started: ${started.message}`, 0) };
    }
    const why = started.died();
    if (why !== undefined) return { spec, remark: noSentinel(`had ended (${why}) before the trial began`, 0) };
    return { spec: { ...spec, world: { ...spec.world, sentinelUrl: started.url } }, remark: undefined };
  }

  /** Ends it; resolves when it is gone. */
  async stop(): Promise<void> {
    const started = await this.#started;
    if (started !== undefined && !(started instanceof Error)) await started.stop();
  }

  /** Ends it at once, without waiting. */
  kill(): void {
    this.#process?.kill();
  }
}
