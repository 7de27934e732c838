/** What the verdict on a trial rests on. */

import type { Governed } from "../../result/governor-schema.ts";
import type { TrialResult } from "../../result/schema.ts";
import type { WorldFacts } from "../trial-part.ts";
import type { Pacing } from "../trial-spec.ts";

export interface ValidityFacts {
  readonly world: "real" | "virtual";
  /** How a real world waits for its arrivals. */
  readonly pacing: Pacing | undefined;
  readonly interrupted: boolean;
  /** Put together from its journal: it was cut off wherever that ends, without a drain. */
  readonly recovered: boolean;
  /** As far as the trial came: the warm-up, and the measured window to which the other figures belong. */
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  readonly calls: TrialResult["calls"];
  readonly attempts: TrialResult["attempts"];
  readonly errors: TrialResult["errors"];
  readonly late: TrialResult["late"];
  /** p99 is that of the worst worker, so that it cannot hide among the others. */
  readonly lateness: { readonly p99Ms: number; readonly p999Ms: number };
  /** Calls that were started later than the planned end of the arrivals. */
  readonly startedAfterEnd: number;
  readonly maxInFlight: number;
  readonly workers: number;
  /** What a real world says of itself. */
  readonly generator: WorldFacts["generator"];
  /** The policy's window in seconds; 0 when it has none. */
  readonly policyWindowSeconds: number;
  /** The healthy past of the clients; 0 when they were cold. */
  readonly ageSeconds: number;
  /** Present where a governor drove the load. */
  readonly governor?: Governed | undefined;
  /** Present where a guard ended the trial. */
  readonly aborted?: TrialResult["aborted"];
}
