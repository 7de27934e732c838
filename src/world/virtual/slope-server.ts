/**
 * The `slope` server model: an attempt takes a + b x, where x is the number of attempts in work, itself included, when it
 * arrives; nothing is rejected. Work goes on after its client has left, so an attempt is in work until its time is over. At an
 * offered load of L per second an attempt takes (a + b) / (1 - b L) on average: 1 / b is what the server can do.
 *
 * A change of the capacity by the factor f divides the slope, b / f, of what arrives while it lasts, in a ramp by the f of the
 * moment; a, which is no matter of load, stays. In an outage everything that arrives is rejected at no cost.
 */

import type { SlopeModelSpec } from "../../engine/trial-spec.ts";
import { AnsweringServer, type BackendPorts } from "./answering.ts";
import type { PendingAttempt } from "./pending-attempt.ts";
import { TimeHeap } from "./time-heap.ts";

export class SlopeServer extends AnsweringServer {
  readonly #model: SlopeModelSpec;
  /** When what is in work will be done. */
  readonly #ends: TimeHeap = new TimeHeap();

  constructor(model: SlopeModelSpec, ports: BackendPorts) {
    super(ports, model.latencySeconds);
    this.#model = model;
  }

  serve(attempt: PendingAttempt): number {
    const now = this.scheduler.now();
    const { capacityFactor } = this.stateAt(now);
    if (capacityFactor === 0) return this.reject(attempt, now);
    this.#ends.dropUntil(now);
    const { baseSeconds, slopeSeconds } = this.#model;
    const end = now + baseSeconds + (slopeSeconds / capacityFactor) * (this.#ends.size + 1);
    this.#ends.push(end);
    return this.accept(attempt, end);
  }
}
