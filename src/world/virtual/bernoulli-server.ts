/**
 * The `bernoulli` server model: each attempt is accepted with the same probability, whatever the load: a backend that fails for
 * other reasons than overload, with answers that look like it.
 */

import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler } from "../../engine/ports.ts";
import type { BernoulliModelSpec } from "../../engine/trial-spec.ts";
import type { Random } from "../../policy/policy.ts";
import { ACCEPTED, AnsweringServer, REJECTED } from "./answering.ts";

export class BernoulliServer extends AnsweringServer {
  readonly #model: BernoulliModelSpec;
  readonly #random: Random;

  constructor(model: BernoulliModelSpec, random: Random, scheduler: Scheduler, sink: AttemptSink) {
    super(scheduler, sink);
    this.#model = model;
    this.#random = random;
  }

  send(call: Call): void {
    const { accept, latencySeconds } = this.#model;
    const status = this.#random.random() < accept ? ACCEPTED : REJECTED;
    this.answerAt(call.handedSeconds + latencySeconds, call, status);
  }
}
