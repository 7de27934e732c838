/**
 * A closed loop: so many fibres, each of which makes one call after another, through the policy contract, against a server
 * model. It is what a governor of concurrency moves; an open loop has no number of calls at once to be moved.
 */

import { Call } from "../../src/engine/call.ts";
import type { AttemptSink, Scheduler, Transport } from "../../src/engine/ports.ts";
import type { Policy } from "../../src/policy/policy.ts";

const ACCEPTED = 200;

export class ClosedLoop implements AttemptSink {
  successes = 0;
  failures = 0;
  readonly #scheduler: Scheduler;
  readonly #policyOf: (fibre: number) => Policy;
  #transport: Transport | undefined;
  #wanted = 0;
  /** Which fibres are running, by number. */
  readonly #running: boolean[] = [];

  constructor(scheduler: Scheduler, policyOf: (fibre: number) => Policy) {
    this.#scheduler = scheduler;
    this.#policyOf = policyOf;
  }

  start(transport: Transport): void {
    this.#transport = transport;
  }

  /** Fibres of higher numbers end with the call that they are at. */
  resize(fibres: number): void {
    this.#wanted = fibres;
    for (let fibre = 0; fibre < fibres; fibre += 1) {
      if (this.#running[fibre] === true) continue;
      this.#running[fibre] = true;
      const call = new Call();
      call.user = fibre;
      call.policy = this.#policyOf(fibre);
      this.#later(call, () => this.#begin(call));
    }
  }

  attemptEnded(call: Call): void {
    const accepted = call.status === ACCEPTED;
    if (accepted) this.successes += 1;
    else this.failures += 1;
    call.delaySeconds = 0;
    call.lastAttempt = call.attempt;
    if ((call.policy as Policy).settle(call, accepted ? "accepted" : "overloaded") === "retry") {
      call.attempt += 1;
      this.#later(call, () => this.#admit(call));
    } else {
      call.delaySeconds = 0;
      this.#later(call, () => this.#begin(call));
    }
  }

  #begin(call: Call): void {
    if (call.user >= this.#wanted) {
      this.#running[call.user] = false;
      return;
    }
    call.attempt = 0;
    call.backoffFrom = 0;
    call.intendedSeconds = this.#scheduler.now();
    this.#admit(call);
  }

  #admit(call: Call): void {
    call.prepareAdmission(Number.POSITIVE_INFINITY);
    const admission = (call.policy as Policy).admit(call);
    if (admission === "send") {
      call.handedSeconds = this.#scheduler.now();
      (this.#transport as Transport).send(call);
    } else if (admission === "wait") {
      this.#later(call, () => this.#admit(call));
    } else {
      throw new Error(`A fibre's policy refused a call as ${admission}: nothing would slow the fibre down`);
    }
  }

  /** After `call.delaySeconds`; by the queue also when that is 0, so that fibres take turns. */
  #later(call: Call, run: () => void): void {
    this.#scheduler.at(this.#scheduler.now() + call.delaySeconds, { run }, "exact");
  }
}
