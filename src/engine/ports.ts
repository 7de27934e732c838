/**
 * The two ports through which the open loop meets a world: a {@link Scheduler} and a {@link Transport}. The real world
 * implements them with a monotonic clock and sockets, the virtual world with an event queue and a server model.
 */

import type { Clock } from "../policy/policy.ts";
import type { Call } from "./call.ts";

/** Something to be run once at a given time. Tasks are reused: whoever schedules one keeps it. */
export interface Task {
  run(): void;
}

/**
 * Runs tasks in time order, tasks of the same time in the order in which they were scheduled. Times are seconds since the
 * start of the trial.
 */
export interface Scheduler extends Clock {
  /**
   * Runs `task` at `timeSeconds`, or as soon after as the world can.
   *
   * @param precision `exact` for arrivals and retries, whose lateness is measured; `coarse` for bounds such as deadlines,
   *   which may run a few milliseconds late and must not keep a processor busy.
   */
  at(timeSeconds: number, task: Task, precision: "exact" | "coarse"): void;
}

/** Sends attempts. There is at most one attempt of a call under way at a time. */
export interface Transport {
  /**
   * Sends the current attempt of `call`. It must report the end of the attempt exactly once through
   * {@link AttemptSink.attemptEnded}, possibly before `send` returns, unless {@link cancel} is called first.
   */
  send(call: Call): void;

  /** Gives up the attempt of `call` (its deadline has passed). The sink is not told any more. */
  cancel(call: Call): void;
}

/** What a transport reports back: the engine. */
export interface AttemptSink {
  /** The attempt of `call` ended; the transport has filled the fields of {@link Call} that describe how. */
  attemptEnded(call: Call): void;
}
