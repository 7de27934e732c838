/**
 * The `bernoulli` server model: each attempt is accepted with the same probability, whatever the load: a backend that fails for
 * other reasons than overload, with answers that look like it.
 *
 * A change of the capacity multiplies the probability, up to 1, a ramp by its factor of the moment; an outage rejects everything.
 */

import type { BernoulliModelSpec } from "../../engine/trial-spec.ts";
import type { Random } from "../../policy/policy.ts";
import { AnsweringServer, type BackendPorts } from "./answering.ts";
import type { PendingAttempt } from "./pending-attempt.ts";

export class BernoulliServer extends AnsweringServer {
  readonly #accept: number;
  readonly #random: Random;

  constructor(model: BernoulliModelSpec, random: Random, ports: BackendPorts) {
    super(ports, model.latencySeconds);
    this.#accept = model.accept;
    this.#random = random;
  }

  serve(attempt: PendingAttempt): number {
    const now = this.scheduler.now();
    // Drawn in an outage too: what comes after it meets the same luck as without it.
    const accepted = this.#random.random() < this.#accept * this.stateAt(now).capacityFactor;
    return accepted ? this.accept(attempt, now) : this.reject(attempt, now);
  }
}
