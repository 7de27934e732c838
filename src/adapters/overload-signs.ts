/** What counts as overload: which answers, and which ways of getting none. */

import type { AttemptVerdict, Fault } from "../policy/policy.ts";

const FAULTS = ["timeout", "refused", "reset"] as const;

/** A status (`503`), a class of statuses (`"5xx"`), or a fault: `"timeout"`, `"refused"`, `"reset"`. */
export type OverloadSign = number | string;

/** What is overload when nothing else is said. */
export const DEFAULT_SIGNS: readonly OverloadSign[] = [429, 503, ...FAULTS];

export class OverloadSigns {
  private readonly statuses: Set<number> = new Set();
  private readonly faults: Set<string> = new Set();

  /** @throws {RangeError} for what is none of the signs there are. */
  constructor(signs: readonly OverloadSign[]) {
    for (const sign of signs) this.add(String(sign));
  }

  /** @param status 0 when there was no answer. */
  verdictOf(status: number, fault: Fault): AttemptVerdict {
    if (fault === "none") return this.statuses.has(status) ? "overloaded" : "accepted";
    return this.faults.has(fault) ? "overloaded" : "failed";
  }

  private add(sign: string): void {
    if ((FAULTS as readonly string[]).includes(sign)) {
      this.faults.add(sign);
    } else if (/^[1-5]xx$/.test(sign)) {
      const first = Number(sign[0]) * 100;
      for (let status = first; status < first + 100; status++) this.statuses.add(status);
    } else if (/^[1-5]\d\d$/.test(sign)) {
      this.statuses.add(Number(sign));
    } else {
      const rule = `statuses, classes such as 5xx, ${FAULTS.join(", ")}`;
      throw new RangeError(`Cannot control overload as 'overloadedOn' must list ${rule}: current value is ${sign}`);
    }
  }
}
