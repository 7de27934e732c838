/** `--sim`: a server model and its parameters, the network before it, and how many there are of it. */

import type { BackendsSpec, ModelSpec, VirtualWorldSpec } from "../../engine/trial-spec.ts";
import { BACKENDS_MAX } from "../../plan/script.ts";
import { COLD_COST_MAX, type ColdStart, WARM_JOBS_MAX } from "../../plan/warmth.ts";
import { parseComposite } from "./composite.ts";
import { SimParameters } from "./sim-parameters.ts";

/** What `--sim` says of the virtual world. */
export type SimChoice = Pick<VirtualWorldSpec, "model" | "network" | "backends">;

/** The bucket size for which the closed forms hold: the accepted rate at an offered load of 1.25 C is .997 C. */
const DEFAULT_BURST = 10;
/** That of the built-in target. */
const DEFAULT_QUEUE = 50;

/** Each is a place in memory. */
const WORKERS_MAX = 10_000;
/** Beyond it the least critical calls would need more than the burst, or than the whole queue. */
const RESERVE_MAX = 1 / 3;

const BALANCES = ["round-robin", "least-loaded", "pinned"] as const;
const WORKS = ["constant", "exponential"] as const;

const COLD_KEYS = ["coldCost", "warmJobs", "warmth"];
const KEYS: Readonly<Record<ModelSpec["name"], readonly string[]>> = {
  shed: ["capacity", "burst", "rejectCost", "latency", "retryAfter", "reserve", "work", ...COLD_KEYS],
  fifo: ["workers", "service", "queue", "latency", ...COLD_KEYS],
  slope: ["base", "slope", "latency"],
  bernoulli: ["accept", "latency"],
  worker: ["accept", "reject", "queue", "latency", "retryAfter", "reserve", ...COLD_KEYS],
};
const COMMON_KEYS = ["backends", "balance"];
/** The server models. */
export const SIM_MODELS = Object.keys(KEYS) as readonly ModelSpec["name"][];

/**
 * Parses `shed:capacity=100,burst=10,rejectCost=0.3,latency=5ms`, `fifo:workers=4,service=25ms,queue=100`,
 * `slope:base=50ms,slope=1ms`, `bernoulli:accept=0.7` or `worker:accept=5ms,reject=1.5ms,queue=50`. Each model needs its first
 * parameter; `fifo` and `slope` their first two. All take `latency`, which may be a random law, and
 * `backends=4,balance=least-loaded`; the model's parameters are those of each backend. `shed`, `fifo` and `worker` may be cold:
 * `coldCost=3,warmJobs=2000`.
 *
 * @throws RangeError that says the rule and the value, but not the flag.
 */
export function parseSim(text: string): SimChoice {
  const { name: given, options } = parseComposite(text);
  const name = SIM_MODELS.find((known) => known === given);
  if (name === undefined) {
    throw new RangeError(`must name a server model (${SIM_MODELS.join(", ")}): current value is "${text}"`);
  }
  const known = [...KEYS[name], ...COMMON_KEYS];
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    throw new RangeError(
      `must use the options of ${name} (${known.join(", ")}), not '${key}': current value is "${text}"`,
    );
  }
  const read = new SimParameters(text, options);
  const { latencySeconds, network } = read.latency("latency");
  return {
    model: parseModel(name, latencySeconds, read),
    ...(network === undefined ? {} : { network }),
    ...parseBackends(read),
  };
}

function parseModel(name: ModelSpec["name"], latencySeconds: number, read: SimParameters): ModelSpec {
  switch (name) {
    case "shed":
      return {
        name,
        capacity: read.positive("capacity"),
        burst: read.number("burst", 1, Number.POSITIVE_INFINITY, DEFAULT_BURST),
        rejectCost: read.number("rejectCost", 0, Number.POSITIVE_INFINITY, 0),
        latencySeconds,
        ...parseRejects(read),
        ...(read.has("work") ? { work: read.choice("work", WORKS) } : {}),
        ...parseCold(read),
      };
    case "fifo":
      return {
        name,
        workers: read.whole("workers", 1, WORKERS_MAX),
        serviceSeconds: read.durationOrLaw("service"),
        ...(read.has("queue") ? { queueMax: read.whole("queue", 0, Number.MAX_SAFE_INTEGER) } : {}),
        latencySeconds,
        ...parseCold(read),
      };
    case "slope":
      return { name, baseSeconds: read.duration("base"), slopeSeconds: read.duration("slope"), latencySeconds };
    case "worker":
      return {
        name,
        acceptSeconds: read.positiveDuration("accept"),
        rejectSeconds: read.duration("reject", 0),
        queueMax: read.whole("queue", 1, Number.MAX_SAFE_INTEGER, DEFAULT_QUEUE),
        latencySeconds,
        ...parseRejects(read),
        ...parseCold(read),
      };
    case "bernoulli":
      return { name, accept: read.number("accept", 0, 1), latencySeconds };
    default:
      return name satisfies never;
  }
}

function parseRejects(read: SimParameters): { readonly retryAfterSeconds?: number; readonly reserve?: number } {
  return {
    ...(read.has("retryAfter") ? { retryAfterSeconds: read.wholeSeconds("retryAfter") } : {}),
    ...(read.has("reserve") ? { reserve: read.number("reserve", 0, RESERVE_MAX) } : {}),
  };
}

function parseCold(read: SimParameters): { readonly cold?: ColdStart } {
  if (!COLD_KEYS.some((key) => read.has(key))) return {};
  return {
    cold: {
      coldCost: read.number("coldCost", 1, COLD_COST_MAX),
      warmJobs: read.whole("warmJobs", 1, WARM_JOBS_MAX),
      warmth: read.number("warmth", 0, 1, 0),
    },
  };
}

function parseBackends(read: SimParameters): { readonly backends?: BackendsSpec } {
  if (!read.has("backends") && !read.has("balance")) return {};
  const count = read.whole("backends", 1, BACKENDS_MAX);
  return { backends: { count, balance: read.choice("balance", BALANCES, "round-robin") } };
}
