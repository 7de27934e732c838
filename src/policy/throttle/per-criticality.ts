/** Statistics for each class of criticality. */

import type { Throttle } from "../parts.ts";
import type { AttemptVerdict, Criticality, PolicyCall } from "../policy.ts";

/**
 * Keeps a throttle for each criticality, so that a backend that sheds its least important calls first makes clients reject
 * those, and not the others with them. Each is made at the first call of its class.
 *
 * Source: Site Reliability Engineering (Google/O'Reilly 2016), chapter 21, "Criticality": adaptive throttling keeps its
 * statistics per criticality.
 */
export class PerCriticality implements Throttle {
  private readonly make: () => Throttle;
  private readonly throttles: (Throttle | undefined)[] = [undefined, undefined, undefined, undefined];

  /** @param make builds the throttle of one class. */
  constructor(make: () => Throttle) {
    this.make = make;
  }

  admit(nowSeconds: number, criticality: Criticality): boolean {
    return this.of(criticality).admit(nowSeconds, criticality);
  }

  settle(call: PolicyCall, verdict: AttemptVerdict, nowSeconds: number): void {
    this.of(call.criticality).settle(call, verdict, nowSeconds);
  }

  abandon(call: PolicyCall, nowSeconds: number): void {
    this.of(call.criticality).abandon(call, nowSeconds);
  }

  rejectProbability(nowSeconds: number, criticality: Criticality): number {
    return this.of(criticality).rejectProbability(nowSeconds, criticality);
  }

  private of(criticality: Criticality): Throttle {
    const present = this.throttles[criticality];
    if (present !== undefined) return present;
    const made = this.make();
    this.throttles[criticality] = made;
    return made;
  }
}
