/** The open loop in virtual time, for what no specification of a trial can say: other arrivals, policies that are looked into. */

import { Classifier, DEFAULT_OK_ON, DEFAULT_OVERLOADED_ON } from "../../src/engine/classify.ts";
import { OpenLoop, type UserPolicies } from "../../src/engine/open-loop.ts";
import type { Scheduler } from "../../src/engine/ports.ts";
import { Recorder } from "../../src/engine/recorder.ts";
import type { VirtualWorldSpec } from "../../src/engine/trial-spec.ts";
import type { ArrivalCursor } from "../../src/plan/arrivals.ts";
import { runVirtual } from "../../src/world/virtual/run-virtual.ts";

export interface LoopParts {
  /** Of one user. */
  readonly arrivals: ArrivalCursor;
  readonly policies: UserPolicies;
}

export interface VirtualLoop {
  readonly world: VirtualWorldSpec;
  readonly seed: number;
  readonly durationSeconds: number;
  /** @param recorder counts while the loop runs. */
  build(scheduler: Scheduler, recorder: Recorder): LoopParts;
}

export function runLoop({ world, seed, durationSeconds, build }: VirtualLoop): void {
  const recorder = new Recorder(1, 0, durationSeconds);
  runVirtual(
    world,
    0,
    { seed },
    (scheduler, events) => {
      const { arrivals, policies } = build(scheduler, recorder);
      return new OpenLoop(
        {
          warmupSeconds: 0,
          durationSeconds,
          timeoutSeconds: 5,
          drainSeconds: 5,
          maxInFlight: 1_000_000,
          late: { kind: "send" },
        },
        arrivals,
        policies,
        new Classifier(DEFAULT_OVERLOADED_ON, DEFAULT_OK_ON),
        scheduler,
        recorder,
        events,
      );
    },
    { measuring() {}, poll() {} },
  );
}
