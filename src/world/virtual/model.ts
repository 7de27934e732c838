/** The server models by name. */

import type { AttemptSink, Scheduler, Transport } from "../../engine/ports.ts";
import type { ModelChange, ModelSpec, VirtualWorldSpec } from "../../engine/trial-spec.ts";
import type { Random } from "../../policy/policy.ts";
import { BernoulliServer } from "./bernoulli-server.ts";
import { FifoServer } from "./fifo-server.ts";
import { ShedServer } from "./shed-server.ts";

/** @param random the target's own stream. */
export function createServer(
  { model, changes = [] }: VirtualWorldSpec,
  random: Random,
  scheduler: Scheduler,
  sink: AttemptSink,
): Transport {
  switch (model.name) {
    case "shed":
      return new ShedServer(model, changes, scheduler, sink);
    case "fifo":
      return new FifoServer(model, changes, scheduler, sink);
    case "bernoulli":
      return new BernoulliServer(model, random, scheduler, sink);
    default:
      return model satisfies never;
  }
}

/** The model with its parameters, in the syntax of `--sim`, and what is to change in it. */
export function describeModel({ model, changes = [] }: VirtualWorldSpec): string {
  const described = describeParameters(model);
  return changes.length === 0 ? described : `${described}; ${changes.map(describeChange).join(", ")}`;
}

function describeParameters(model: ModelSpec): string {
  const latency = `latency=${model.latencySeconds}s`;
  switch (model.name) {
    case "shed": {
      const { capacity, burst, rejectCost, retryAfterSeconds, reserve } = model;
      const retryAfter = retryAfterSeconds === undefined ? "" : `,retryAfter=${retryAfterSeconds}s`;
      const kept = reserve === undefined ? "" : `,reserve=${reserve}`;
      return `shed:capacity=${capacity},burst=${burst},rejectCost=${rejectCost},${latency}${retryAfter}${kept}`;
    }
    case "fifo": {
      const queue = model.queueMax === undefined ? "" : `,queue=${model.queueMax}`;
      return `fifo:workers=${model.workers},service=${model.serviceSeconds}s,${latency}${queue}`;
    }
    case "bernoulli":
      return `bernoulli:accept=${model.accept},${latency}`;
    default:
      return model satisfies never;
  }
}

function describeChange({ fromSeconds, toSeconds, capacityFactor }: ModelChange): string {
  return `capacity x ${capacityFactor} from ${fromSeconds}s to ${toSeconds}s`;
}
