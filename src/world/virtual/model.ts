/** The server models by name. */

import type { AttemptSink, Scheduler, Transport } from "../../engine/ports.ts";
import type { ModelSpec, VirtualWorldSpec } from "../../engine/trial-spec.ts";
import { formatScript } from "../../plan/script.ts";
import { Timeline } from "../../plan/timeline.ts";
import type { Random } from "../../policy/policy.ts";
import { BernoulliServer } from "./bernoulli-server.ts";
import { FifoServer } from "./fifo-server.ts";
import { ShedServer } from "./shed-server.ts";

/**
 * @param startSeconds when the measured window begins.
 * @param random the target's own stream.
 */
export function createServer(
  { model, script = [] }: VirtualWorldSpec,
  startSeconds: number,
  random: Random,
  scheduler: Scheduler,
  sink: AttemptSink,
): Transport {
  const timeline = new Timeline(script);
  switch (model.name) {
    case "shed":
      return new ShedServer(model, timeline, startSeconds, scheduler, sink);
    case "fifo":
      return new FifoServer(model, timeline, startSeconds, scheduler, sink);
    case "slope":
    case "worker":
      throw new RangeError("not built yet");
    case "bernoulli":
      return new BernoulliServer(model, random, scheduler, sink);
    default:
      return model satisfies never;
  }
}

/** The model with its parameters, in the syntax of `--sim`, and what is to change in it. */
export function describeModel({ model, script = [] }: VirtualWorldSpec): string {
  const described = describeParameters(model);
  return script.length === 0 ? described : `${described}; ${formatScript(script)}`;
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
    case "slope":
    case "worker":
      throw new RangeError("not built yet");
    case "bernoulli":
      return `bernoulli:accept=${model.accept},${latency}`;
    default:
      return model satisfies never;
  }
}
