/** Runs one trial in virtual time: the same plan, policies, loop and recorder, against a server model. */

import type { LoopEvents, OpenLoop } from "../../engine/open-loop.ts";
import type { VirtualWorldSpec } from "../../engine/trial-spec.ts";
import { EventQueue } from "./event-queue.ts";
import { type Chance, createServer } from "./model.ts";

/** Events between two looks at the outside world (a request to stop, progress). */
const EVENTS_PER_SLICE = 16_384;

export interface VirtualHooks {
  /** The measured window begins. */
  measuring(): void;
  /** Called every few thousand events; may call `loop.stop()`. */
  poll(loop: OpenLoop, nowSeconds: number): void;
}

/**
 * @param startSeconds when the measured window begins: the script's zero.
 * @param chance of the trial.
 * @param build makes the loop on the scheduler.
 */
export function runVirtual(
  world: VirtualWorldSpec,
  startSeconds: number,
  chance: Chance,
  build: (scheduler: EventQueue, events: LoopEvents) => OpenLoop,
  hooks: VirtualHooks,
): OpenLoop {
  const events = new EventQueue();
  let done = false;
  const loop = build(events, {
    measuring: () => hooks.measuring(),
    ended() {
      done = true;
    },
  });
  loop.start(createServer(world, startSeconds, chance, events, loop));
  const isDone = (): boolean => done;
  while (!done) {
    if (events.run(EVENTS_PER_SLICE, isDone) === 0) throw new Error("The virtual world ran out of events");
    if (!done) hooks.poll(loop, events.now());
  }
  return loop;
}
