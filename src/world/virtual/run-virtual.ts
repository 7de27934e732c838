/** Runs one trial in virtual time: the same plan, policies, loop and recorder, against a server model. */

import type { OpenLoop } from "../../engine/open-loop.ts";
import type { ShedModelSpec } from "../../engine/trial-spec.ts";
import { EventQueue } from "./event-queue.ts";
import { ShedServer } from "./shed-server.ts";

/** Events between two looks at the outside world (a request to stop, progress). */
const EVENTS_PER_SLICE = 16_384;

/**
 * @param build makes the loop on the scheduler.
 * @param betweenSlices called every few thousand events; may call `loop.stop()`.
 */
export function runVirtual(
  model: ShedModelSpec,
  build: (scheduler: EventQueue, ended: () => void) => OpenLoop,
  betweenSlices: (loop: OpenLoop, nowSeconds: number) => void,
): OpenLoop {
  const events = new EventQueue();
  let done = false;
  const loop = build(events, () => {
    done = true;
  });
  loop.start(new ShedServer(model, events, loop));
  const isDone = (): boolean => done;
  while (!done) {
    if (events.run(EVENTS_PER_SLICE, isDone) === 0) throw new Error("The virtual world ran out of events");
    if (!done) betweenSlices(loop, events.now());
  }
  return loop;
}

/** The model with its parameters, in the syntax of `--sim`. */
export function describeModel(model: ShedModelSpec): string {
  const { name, capacity, burst, rejectCost, latencySeconds } = model;
  return `${name}:capacity=${capacity},burst=${burst},rejectCost=${rejectCost},latency=${latencySeconds}s`;
}
