/** The server models by name. */

import type { AttemptSink, Scheduler, Transport } from "../../engine/ports.ts";
import type {
  BackendsSpec,
  FifoModelSpec,
  ModelSpec,
  ShedModelSpec,
  VirtualWorldSpec,
  WorkerModelSpec,
} from "../../engine/trial-spec.ts";
import { stream } from "../../plan/streams.ts";
import { Timeline } from "../../plan/timeline.ts";
import type { BackendPorts, Server } from "./answering.ts";
import { Balancer } from "./balancer.ts";
import { BernoulliServer } from "./bernoulli-server.ts";
import { ColdFifoServer } from "./cold-fifo-server.ts";
import { describeDuration, durationsOf } from "./durations.ts";
import { FifoServer } from "./fifo-server.ts";
import { ModelTransport } from "./model-transport.ts";
import { ShedServer } from "./shed-server.ts";
import { SlopeServer } from "./slope-server.ts";
import { WorkerServer } from "./worker-server.ts";

/** What the random streams of a trial come from, see {@link stream}. */
export interface Chance {
  readonly seed: number;
  /** Default 0. */
  readonly variant?: number | undefined;
}

const ONE_BACKEND: BackendsSpec = { count: 1, balance: "round-robin" };

/**
 * @param startSeconds when the measured window begins.
 * @param chance of the trial: the network and each backend have random streams of their own.
 * @throws RangeError when the script changes a backend that is not there.
 */
export function createServer(
  world: VirtualWorldSpec,
  startSeconds: number,
  chance: Chance,
  scheduler: Scheduler,
  sink: AttemptSink,
): Transport {
  checkBackends(world);
  const { model, network, backends = ONE_BACKEND, script = [] } = world;
  return new ModelTransport(
    network === undefined ? undefined : durationsOf(network, stream(chance.seed, "network", 0, chance.variant)),
    new Balancer(backends),
    (answers) =>
      Array.from({ length: backends.count }, (_, backend) =>
        createBackend(model, chance, backend, {
          timeline: new Timeline(script, backend),
          startSeconds,
          scheduler,
          sink: answers,
        }),
      ),
    scheduler,
    sink,
  );
}

function createBackend(model: ModelSpec, { seed, variant }: Chance, backend: number, ports: BackendPorts): Server {
  switch (model.name) {
    case "shed":
      return new ShedServer(model, stream(seed, "service", backend, variant), ports);
    case "fifo": {
      const service = stream(seed, "service", backend, variant);
      return model.cold === undefined
        ? new FifoServer(model, service, ports)
        : new ColdFifoServer(model, model.cold, service, ports);
    }
    case "slope":
      return new SlopeServer(model, ports);
    case "worker":
      return new WorkerServer(model, ports);
    case "bernoulli":
      return new BernoulliServer(model, stream(seed, "target", backend, variant), ports);
    default:
      return model satisfies never;
  }
}

function checkBackends({ backends: { count } = ONE_BACKEND, script = [] }: VirtualWorldSpec): void {
  for (const { backend } of script) {
    if (backend === undefined || backend < count) continue;
    throw new RangeError(
      `Cannot simulate as 'script' must change backends from 1 to ${count}: current value is ${backend + 1}`,
    );
  }
}

/** The model with its parameters, in the syntax of `--sim`. */
export function describeModel(world: VirtualWorldSpec): string {
  const { backends } = world;
  const several = backends === undefined ? "" : `,backends=${backends.count},balance=${backends.balance}`;
  return `${describeParameters(world)}${several}`;
}

function describeParameters({ model, network }: VirtualWorldSpec): string {
  const latency = `latency=${describeLatency(model, network)}`;
  switch (model.name) {
    case "shed": {
      const { capacity, burst, rejectCost, work } = model;
      const law = work === undefined ? "" : `,work=${work}`;
      return `shed:capacity=${capacity},burst=${burst},rejectCost=${rejectCost},${latency}${describeRejects(model)}${law}${describeCold(model)}`;
    }
    case "fifo": {
      const queue = model.queueMax === undefined ? "" : `,queue=${model.queueMax}`;
      return `fifo:workers=${model.workers},service=${describeDuration(model.serviceSeconds)},${latency}${queue}${describeCold(model)}`;
    }
    case "slope":
      return `slope:base=${model.baseSeconds}s,slope=${model.slopeSeconds}s,${latency}`;
    case "bernoulli":
      return `bernoulli:accept=${model.accept},${latency}`;
    case "worker": {
      const { acceptSeconds, rejectSeconds, queueMax } = model;
      return `worker:accept=${acceptSeconds}s,reject=${rejectSeconds}s,queue=${queueMax},${latency}${describeRejects(model)}${describeCold(model)}`;
    }
    default:
      return model satisfies never;
  }
}

function describeRejects({ retryAfterSeconds, reserve }: ShedModelSpec | WorkerModelSpec): string {
  const retryAfter = retryAfterSeconds === undefined ? "" : `,retryAfter=${retryAfterSeconds}s`;
  return reserve === undefined ? retryAfter : `${retryAfter},reserve=${reserve}`;
}

function describeCold({ cold }: ShedModelSpec | FifoModelSpec | WorkerModelSpec): string {
  if (cold === undefined) return "";
  const warmth = cold.warmth === 0 ? "" : `,warmth=${cold.warmth}`;
  return `,coldCost=${cold.coldCost},warmJobs=${cold.warmJobs}${warmth}`;
}

function describeLatency({ latencySeconds }: ModelSpec, network: VirtualWorldSpec["network"]): string {
  if (network === undefined) return `${latencySeconds}s`;
  const law = describeDuration(network);
  return latencySeconds === 0 ? law : `${latencySeconds}s+${law}`;
}
