/** What counts as overload, and what counts as a useful answer. */

import type { AttemptVerdict } from "../policy/policy.ts";
import type { Call, SettledClass } from "./call.ts";

/** The faults that a user may declare to be signs of overload. */
const OVERLOAD_FAULTS = ["timeout", "refused", "reset"] as const;

/** What is overload when the user says nothing. */
export const DEFAULT_OVERLOADED_ON: readonly string[] = ["429", "503", "timeout", "refused", "reset"];
/** Which statuses make a call `ok` when the user says nothing. */
export const DEFAULT_OK_ON: readonly string[] = ["2xx", "3xx"];

const STATUS_LIMIT = 1000;

/** Maps the facts that a transport reports to classes, by the user's definition of overload. */
export class Classifier {
  readonly #overloadStatus = new Uint8Array(STATUS_LIMIT);
  readonly #okStatus = new Uint8Array(STATUS_LIMIT);
  readonly #overloadFaults: ReadonlySet<string>;

  /**
   * @param overloadedOn statuses (`503`), classes of statuses (`5xx`) and faults (`timeout`, `refused`, `reset`).
   * @param okOn statuses and classes of statuses whose answer is useful: the call is `ok`.
   * @throws RangeError for anything else.
   */
  constructor(overloadedOn: readonly string[], okOn: readonly string[]) {
    const faults = new Set<string>();
    for (const token of overloadedOn) {
      if ((OVERLOAD_FAULTS as readonly string[]).includes(token)) faults.add(token);
      else markStatuses(this.#overloadStatus, token, `a status, a class such as 5xx, or ${OVERLOAD_FAULTS.join(", ")}`);
    }
    for (const token of okOn) markStatuses(this.#okStatus, token, "a status or a class such as 2xx");
    this.#overloadFaults = faults;
  }

  /** The class of the attempt that just ended. */
  classOf(call: Call): SettledClass {
    switch (call.fault) {
      case "none":
        return this.#overloadStatus[call.status] === 1 ? "overloaded" : "accepted";
      case "timeout":
      case "refused":
      case "reset":
        return this.#overloadFaults.has(call.fault) ? "overloaded" : "failed";
      case "stale":
        return "staleConnection";
      case "client":
        return "clientFault";
      case "other":
        return "failed";
      default:
        return unreachable(call.fault);
    }
  }

  /** Whether the accepted answer is a useful one. A 404 or an application's own 500 is accepted, but not ok. */
  isOk(call: Call): boolean {
    return this.#okStatus[call.status] === 1;
  }
}

/** What a policy is told about a class. Faults of our own are none of the backend's doing, so they are plain failures. */
export function verdictOf(attemptClass: SettledClass): AttemptVerdict {
  switch (attemptClass) {
    case "accepted":
      return "accepted";
    case "overloaded":
      return "overloaded";
    case "failed":
    case "clientFault":
    case "staleConnection":
      return "failed";
    default:
      return unreachable(attemptClass);
  }
}

function markStatuses(table: Uint8Array, token: string, rule: string): void {
  const range = /^([1-5])xx$/.exec(token);
  if (range !== null) {
    const from = Number(range[1]) * 100;
    table.fill(1, from, from + 100);
    return;
  }
  const status = Number(token);
  if (!/^\d{3}$/.test(token) || status < 100 || status > 599) {
    throw new RangeError(`must list ${rule}: current value is "${token}"`);
  }
  table[status] = 1;
}

function unreachable(value: never): never {
  throw new Error(`Unknown kind: ${String(value)}`);
}
