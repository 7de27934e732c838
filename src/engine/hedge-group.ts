/** The copies of one hedged call, see {@link PolicyCall.hedgeSeconds}. */

import type { Call } from "./call.ts";

/** Made when a call gets its second copy; the first is the call's own record, which stands for it in the engine's lists. */
export class HedgeGroup {
  readonly primary: Call;
  /** Those with an attempt under way, and those that wait before one. Few: a scan is the fastest way. */
  readonly members: Call[];
  /** The copy that was sent last: the next one falls due by its time alone. */
  latest: Call;
  /** Copies and retries of a call are numbered together. */
  lastAttempt: number;

  constructor(primary: Call) {
    this.primary = primary;
    this.members = [primary];
    this.latest = primary;
    this.lastAttempt = primary.attempt;
  }

  nextAttempt(): number {
    this.lastAttempt += 1;
    return this.lastAttempt;
  }

  leave(call: Call): void {
    this.members.splice(this.members.indexOf(call), 1);
  }
}
