/** What one trial is to do: plain data, so that it can cross to a worker thread and stand in a result file. */

import type { PlanSpec } from "../plan/plan.ts";

/** How the generator waits for the next arrival. `precise` spins through the last moment, `timer` only sleeps. */
export type Pacing = "precise" | "timer";

/** Real load on an HTTP endpoint. */
export interface RealWorldSpec {
  readonly kind: "real";
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
  /** Accept certificates that do not verify. */
  readonly insecure: boolean;
  readonly pacing: Pacing;
}

/** The `shed` server model: see src/world/virtual/shed-server.ts. */
export interface ShedModelSpec {
  readonly name: "shed";
  /** Accepted calls per second that the server can do. */
  readonly capacity: number;
  /** Bound on jobs inside: how much work may be waiting. */
  readonly burst: number;
  /** Cost of a rejection, as a fraction of the cost of an accepted call. */
  readonly rejectCost: number;
  /** Network and processing time added to every answer. */
  readonly latencySeconds: number;
}

/** Simulated load on a server model, in virtual time. */
export interface VirtualWorldSpec {
  readonly kind: "virtual";
  readonly model: ShedModelSpec;
}

export interface TrialSpec {
  readonly arm: string;
  readonly pair: number;
  readonly plan: PlanSpec;
  readonly policy: { readonly name: string; readonly options: Readonly<Record<string, number>> };
  /** The time an attempt may take. */
  readonly timeoutSeconds: number;
  /** The time allowed after the last arrival for calls under way. */
  readonly drainSeconds: number;
  /** Bound on calls under way. */
  readonly maxInFlight: number;
  /** See {@link Classifier}. */
  readonly overloadedOn: readonly string[];
  readonly okOn: readonly string[];
  readonly world: RealWorldSpec | VirtualWorldSpec;
}

/** Counters that can be shown while a trial runs. */
export interface TrialProgress {
  readonly elapsedSeconds: number;
  readonly planned: number;
  readonly ok: number;
  readonly throttled: number;
  readonly failed: number;
  readonly inFlight: number;
  readonly latenessP99Ms: number;
}
