/** What theory says of the load from which on retries keep a backend down, where it says something. */

import type { Result } from "../../result/schema.ts";
import type { ArmView } from "./subject.ts";

/** A load per second, and what it follows from. */
export interface RetryThreshold {
  readonly rps: number;
  readonly capacity: number;
  readonly attempts: number;
}

/**
 * Where work that timed out is done all the same, and nothing is turned away, a storm of immediate retries keeps itself up from
 * load x attempts = capacity on: every call comes so many times, and none of them is in time.
 *
 * @returns undefined for other backends than a queue without a bound, and for policies that do more than to retry.
 */
export function retryThreshold({ config }: Pick<Result, "config">, { first }: ArmView): RetryThreshold | undefined {
  const capacity = queueCapacity(config);
  const attempts = attemptsOf(first.policy);
  if (capacity === undefined || attempts === undefined) return undefined;
  return { rps: capacity / attempts, capacity, attempts };
}

function attemptsOf({ name, options }: ArmView["first"]["policy"]): number | undefined {
  switch (name) {
    case "none":
      return 1;
    case "retry":
      return typeof options.maxAttempts === "number" ? options.maxAttempts : undefined;
    default:
      return undefined;
  }
}

/** Calls per second that a simulated queue can do; as the configuration of a result has it. */
function queueCapacity(config: Result["config"]): number | undefined {
  const world = recordOf(config.world);
  const model = recordOf(world.model);
  const { workers, serviceSeconds } = model;
  if (model.name !== "fifo" || model.queueMax !== undefined) return undefined;
  if (typeof workers !== "number" || typeof serviceSeconds !== "number" || serviceSeconds <= 0) return undefined;
  const { count } = recordOf(world.backends);
  return ((typeof count === "number" ? count : 1) * workers) / serviceSeconds;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
