/** What one trial is to do: plain data, so that it can cross to a worker thread and stand in a result file. */

import type { ResolvedGovernorOptions } from "../governor/governor-options.ts";
import type { PlanSpec } from "../plan/plan.ts";
import type { ScriptChange } from "../plan/script.ts";
import type { ColdStart } from "../plan/warmth.ts";
import type { CriticalityMix } from "../policy/criticality.ts";
import type { PolicyOptions } from "../policy/preset.ts";

/** How the generator waits for the next arrival. `precise` spins through the last moment, `timer` only sleeps. */
export type Pacing = "precise" | "timer";

/** Who speaks HTTP/1.1: `wire`, our own client (src/world/real/wire), or undici's. HTTP/2 has a transport of its own. */
export type TransportName = "wire" | "undici";

/** Real load on an HTTP endpoint. */
export interface RealWorldSpec {
  readonly kind: "real";
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
  readonly pacing: Pacing;
  /** Nothing to HTTP/2. Default: that of the runtime, see src/world/real/default-transport.ts. */
  readonly transport?: TransportName;
  readonly connections: ConnectionSpec;
  /** A null server in another process, probed beside the load to measure the generator's own error; undefined: none. */
  readonly sentinelUrl: string | undefined;
  /** The request header that tells a call's criticality. Default none. */
  readonly criticalityHeader?: string;
  /** Headers of answers that the policy reads, in lower case. Default none. */
  readonly answerHeaders?: readonly string[];
}

/** How connections to the target are made, kept and given up. */
export interface ConnectionSpec {
  /** Connections opened before the first arrival; 0 opens each when it is first wanted. */
  readonly preopen: number;
  /** Requests after which a connection is closed; undefined keeps it as long as the target does. */
  readonly maxRequests: number | undefined;
  readonly http2: boolean;
  /** Path of a Unix domain socket to connect to, whatever the URL's host is. */
  readonly unixPath: string | undefined;
  readonly tls: TlsSpec;
  /** Addresses to use for a host and port instead of asking DNS. */
  readonly resolve: readonly ResolveSpec[];
  /** How long the answer of DNS is used before it is asked again. */
  readonly dnsTtlSeconds: number;
  /** An answer whose body is longer than this fails. */
  readonly maxResponseBytes: number;
}

export interface TlsSpec {
  /** Accept certificates that do not verify. */
  readonly insecure: boolean;
  /** PEM texts: authorities to trust instead of the usual ones, our own certificate and its key. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** The name to ask for (SNI) and to verify; undefined: the URL's host. */
  readonly serverName: string | undefined;
}

export interface ResolveSpec {
  readonly host: string;
  readonly port: number;
  /** IPv4 and IPv6 addresses, without brackets. */
  readonly addresses: readonly string[];
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
  /** Seconds in the `Retry-After` header of a rejection; undefined: none. */
  readonly retryAfterSeconds?: number;
  /**
   * How much of the burst is kept for calls that matter more: a call of class c (0 to 3, see {@link Criticality}) is accepted
   * iff the bucket holds 1 + c x reserve x (burst - 1). Undefined: all are alike. At most 1/3.
   */
  readonly reserve?: number;
  /** The law of an accepted call's work, in units of the mean. Default constant; exponential makes the capacity about half as sharp. */
  readonly work?: "constant" | "exponential";
  /** Default none: it is always warm. */
  readonly cold?: ColdStart;
}

/** The `fifo` server model: see src/world/virtual/fifo-server.ts. */
export interface FifoModelSpec {
  readonly name: "fifo";
  readonly workers: number;
  /** Constant, as the closed forms have it; or, beyond them, random. */
  readonly serviceSeconds: number | DurationLaw;
  /** Jobs that may wait; one that finds them all there is rejected. Undefined: no bound. */
  readonly queueMax?: number;
  readonly latencySeconds: number;
  /** Default none: it is always warm. */
  readonly cold?: ColdStart;
}

/** The `bernoulli` server model: see src/world/virtual/bernoulli-server.ts. */
export interface BernoulliModelSpec {
  readonly name: "bernoulli";
  /** Probability that an attempt is accepted, whatever the load. */
  readonly accept: number;
  readonly latencySeconds: number;
}

/** The `slope` server model: see src/world/virtual/slope-server.ts. */
export interface SlopeModelSpec {
  readonly name: "slope";
  /** An attempt takes base + slope x (attempts in work, itself included), fixed when it arrives. */
  readonly baseSeconds: number;
  readonly slopeSeconds: number;
  readonly latencySeconds: number;
}

/** The `worker` server model, the built-in target's own law: see src/world/virtual/worker-server.ts. */
export interface WorkerModelSpec {
  readonly name: "worker";
  /** Work of an accepted attempt, and of a rejection. */
  readonly acceptSeconds: number;
  readonly rejectSeconds: number;
  /** Attempts that may wait, without the one in work. */
  readonly queueMax: number;
  readonly latencySeconds: number;
  /** Seconds in the `Retry-After` header of a rejection; undefined: none. */
  readonly retryAfterSeconds?: number;
  /** The share of the queue kept for calls that matter more, by step of criticality. Default none. */
  readonly reserve?: number;
  /** Default none: it is always warm. */
  readonly cold?: ColdStart;
}

export type ModelSpec = ShedModelSpec | FifoModelSpec | SlopeModelSpec | BernoulliModelSpec | WorkerModelSpec;

/** A random duration. */
export type DurationLaw =
  | { readonly law: "uniform"; readonly fromSeconds: number; readonly toSeconds: number }
  | { readonly law: "exponential"; readonly meanSeconds: number }
  | { readonly law: "lognormal"; readonly medianSeconds: number; readonly p99Seconds: number };

/** Several backends, each the whole model, behind a load balancer. */
export interface BackendsSpec {
  readonly count: number;
  /** In turn, the one with the fewest unanswered attempts, or each user its own: user u to backend u % count. */
  readonly balance: "round-robin" | "least-loaded" | "pinned";
}

/** Simulated load on a server model, in virtual time. */
export interface VirtualWorldSpec {
  readonly kind: "virtual";
  readonly model: ModelSpec;
  /** Round trip, beside the model's own latency: half of it on the way there, half on the way back. Default none. */
  readonly network?: DurationLaw;
  /** Default one. */
  readonly backends?: BackendsSpec;
  /** Default nothing changes. */
  readonly script?: readonly ScriptChange[];
}

/** What becomes of a call whose time has passed by when the generator comes to it. */
export type LatePolicy =
  /** It is sent late, and counted as late. */
  | { readonly kind: "send" }
  /** It is dropped, and counted, when it is later than this. */
  | { readonly kind: "drop"; readonly afterSeconds: number };

/** A policy by name, with its options; see src/policy/catalogue.ts. */
export interface PolicySpec {
  readonly name: string;
  readonly options: PolicyOptions;
  /** URL of the file that defines it, when it is in no catalogue. */
  readonly module?: string;
}

/** The backpressure governor drives the load of the trial, in place of the plan's rate; see {@link ThrottleGovernor}. */
export interface GovernorSpec extends ResolvedGovernorOptions {
  /** So many windows in a row, the highest offer at most 1 + holdBand times the lowest one, or 1 above it, end the trial. */
  readonly holdWindows: number;
  readonly holdBand: number;
}

/** Healthy traffic, simulated, that every user's policy lives through before the trial: the plan's law and rate, all accepted. */
export interface AgeSpec {
  /** 0 is none, also where the other arms have one. */
  readonly seconds: number;
  /** What every answer takes. */
  readonly latencySeconds: number;
}

/** A guard: the trial ends when this has been so for so long. */
export type AbortRule = { readonly forSeconds: number } & (
  | {
      readonly kind: "errors" /** Share of the attempts of each second that are not accepted. */;
      readonly share: number;
    }
  | {
      readonly kind: "p99" | "p50" /** Service time of the attempts that ended in each second. */;
      readonly seconds: number;
    }
);

export interface TrialSpec {
  readonly arm: string;
  readonly pair: number;
  readonly plan: PlanSpec;
  readonly policy: PolicySpec;
  /**
   * Whose random numbers the policies, their jitter, the network and the model draw: those of 0 are common to all trials of
   * a pair. Default 0. See {@link stream}.
   */
  readonly chance?: number;
  /** Shares of the calls by how much they matter; undefined: all are CRITICAL. */
  readonly criticality?: CriticalityMix;
  /** The time an attempt may take. */
  readonly timeoutSeconds: number;
  /** The time allowed after the last arrival for calls under way. */
  readonly drainSeconds: number;
  /** Bound on calls under way, over all workers. */
  readonly maxInFlight: number;
  readonly late: LatePolicy;
  /** Threads that share the users of a real trial: user u belongs to worker u % workers. */
  readonly workers: number;
  /** See {@link Classifier}. */
  readonly overloadedOn: readonly string[];
  readonly okOn: readonly string[];
  /** Default none: the plan says what is offered. With it the plan's rate is the first offer, its duration the most there is. */
  readonly governor?: GovernorSpec;
  /** Default none: clients without a past. */
  readonly age?: AgeSpec;
  readonly abortOn?: readonly AbortRule[];
  readonly world: RealWorldSpec | VirtualWorldSpec;
}

/** What of it the record of a trial follows from: with this, a trial can be put together from its journal. */
export interface RecordedSpec
  extends Pick<TrialSpec, "arm" | "pair" | "policy" | "maxInFlight" | "late" | "workers" | "governor"> {
  readonly plan: Pick<PlanSpec, "seed" | "durationSeconds">;
  readonly world:
    | Pick<VirtualWorldSpec, "kind">
    | (Pick<RealWorldSpec, "kind"> & Partial<Pick<RealWorldSpec, "pacing">>);
}

/** Counters that can be shown while a trial runs. */
export interface TrialProgress {
  readonly elapsedSeconds: number;
  readonly planned: number;
  readonly ok: number;
  readonly throttled: number;
  readonly failed: number;
  /** Attempts sent. */
  readonly attempts: number;
  readonly inFlight: number;
  readonly latenessP99Ms: number;
}
