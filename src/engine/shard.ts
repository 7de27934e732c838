/** How a trial is split over workers: by users, with its bounds divided. */

import { checkGoverned } from "./governed-rules.ts";
import type { TrialSpec } from "./trial-spec.ts";

/**
 * The specification that worker `shard` of `spec.workers` carries out. It walks the same plan, of which it keeps the users
 * with `user % workers === shard`; its bounds add up to those of the trial.
 */
export function shardSpec(spec: TrialSpec, shard: number): TrialSpec {
  const { workers, world } = spec;
  return {
    ...spec,
    maxInFlight: shareOf(spec.maxInFlight, shard, workers),
    world:
      world.kind === "virtual"
        ? world
        : {
            ...world,
            connections: { ...world.connections, preopen: shareOf(world.connections.preopen, shard, workers) },
          },
  };
}

/** @throws RangeError when `spec` cannot be split over that many workers. */
export function checkWorkers(spec: TrialSpec): void {
  const { workers, world, plan, maxInFlight } = spec;
  demand(Number.isSafeInteger(workers) && workers >= 1, "must be a positive whole number", workers);
  demand(world.kind === "real" || workers === 1, "must be 1 in a simulation, which runs in one thread", workers);
  demand(
    workers <= plan.users,
    `must be at most the number of users (${plan.users}), who are split over them`,
    workers,
  );
  demand(
    workers <= maxInFlight,
    `must be at most the bound on calls under way (${maxInFlight}), which is split over them`,
    workers,
  );
  checkGoverned(spec);
}

/** Shares of a whole number that differ by 1 at most and add up to it. */
function shareOf(total: number, shard: number, shards: number): number {
  return Math.floor(total / shards) + (shard < total % shards ? 1 : 0);
}

function demand(holds: boolean, rule: string, workers: number): void {
  if (!holds) throw new RangeError(`Cannot execute as 'workers' ${rule}: current value is ${workers}`);
}
