/** An attempt under way in the virtual world, from the client's hand to its answer or, if it was given up, to its last event. */

import type { Call } from "../../engine/call.ts";
import type { Task } from "../../engine/ports.ts";
import type { Criticality } from "../../policy/policy.ts";

/** What its event is: it arrives at the load balancer, its answer passes there again, or the client gets the answer. */
export type AttemptStage = "arrives" | "leaves" | "returns";

/**
 * A pooled record, and its own task: it has at most one event in the scheduler. It outlives the client's interest, as the work
 * goes on; a {@link Call} given up is soon another one, so what the backend needs of it is kept here.
 */
export class PendingAttempt implements Task {
  /** Undefined from the moment at which the client gave up. */
  call: Call | undefined = undefined;
  user = 0;
  criticality: Criticality = 1;
  stage: AttemptStage = "arrives";
  /** The way back takes this. */
  backSeconds = 0;
  /** Which backend has it, 0-based. */
  backend = 0;
  /** True while the load balancer counts it as handed on and not answered. */
  counted = false;
  status = 0;
  answerHeaders: readonly string[] | undefined = undefined;
  nextFree: PendingAttempt | undefined = undefined;
  readonly #due: (attempt: PendingAttempt) => void;

  constructor(due: (attempt: PendingAttempt) => void) {
    this.#due = due;
  }

  run(): void {
    this.#due(this);
  }
}
