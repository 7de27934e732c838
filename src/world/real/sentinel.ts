/**
 * The sentinel: a few probes a second of a null server in another process, sent beside the load by the same thread, pacer
 * and transport. The server answers at once, so what a probe takes, from its intended time to its answer, is this
 * generator's own error: what the target would be told to have taken without having done anything. The probes are Poisson
 * arrivals, which see the generator as it is on average over time (Wolff, "Poisson arrivals see time averages", Operations
 * Research 30(2), 1982), from a random stream of their own; they touch none of the trial's counts.
 */

import { Classifier } from "../../engine/classify.ts";
import { LatencyHistogram } from "../../engine/histogram.ts";
import { OpenLoop } from "../../engine/open-loop.ts";
import type { Scheduler } from "../../engine/ports.ts";
import { Recorder } from "../../engine/recorder.ts";
import type { SentinelData } from "../../engine/trial-part.ts";
import type { RealWorldSpec, TransportName } from "../../engine/trial-spec.ts";
import { noSentinel } from "../../engine/validity/sentinel-reasons.ts";
import { createPlan } from "../../plan/plan.ts";
import { stream } from "../../plan/streams.ts";
import { FixedRetry } from "../../policy/fixed-retry.ts";
import type { Reason } from "../../result/schema.ts";
import { DIRECT_CONNECTIONS } from "./direct-connections.ts";
import { Http1Transport } from "./http1-transport.ts";

/** Probes a second: enough for a p90 after a few seconds, and no load. */
const RPS = 10;
/** A probe that takes longer is lost; also the longest that the end of a trial waits for one. */
const TIMEOUT_SECONDS = 1;
/** Probes under way, at most: as many as come in the time that one may take, and some. */
const IN_FLIGHT_MAX = 64;
/** Seeds are whole numbers below this. */
const SEEDS = 2 ** 53;

export interface SentinelSpec {
  /** The null server's. */
  readonly url: string;
  /** The trial's. */
  readonly seed: number;
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  /** Each worker of a trial has a sentinel, with moments of its own. */
  readonly worker: number;
  /** The trial's. */
  readonly transport: TransportName | undefined;
}

export class Sentinel {
  readonly #loop: OpenLoop;
  readonly #recorder: Recorder;
  readonly #transport: Http1Transport;
  /** Fulfilled when the last probe has its outcome: a second after {@link stop} at the latest. */
  readonly ended: Promise<void>;

  constructor(spec: SentinelSpec, scheduler: Scheduler) {
    const { warmupSeconds, durationSeconds } = spec;
    const seed = Math.floor(stream(spec.seed, "sentinel", spec.worker).random() * SEEDS);
    const arrival = { law: "poisson", rate: { kind: "constant", rps: RPS } } as const;
    const plan = createPlan({ seed, arrival, warmupSeconds, durationSeconds, users: 1 });
    const probing = new FixedRetry({ maxAttempts: 1 });
    this.#recorder = new Recorder(1, warmupSeconds, durationSeconds);
    let ended: () => void = () => {};
    this.ended = new Promise((resolve) => {
      ended = resolve;
    });
    this.#loop = new OpenLoop(
      {
        warmupSeconds,
        durationSeconds,
        timeoutSeconds: TIMEOUT_SECONDS,
        drainSeconds: TIMEOUT_SECONDS,
        maxInFlight: IN_FLIGHT_MAX,
        late: { kind: "send" },
      },
      plan.arrivals(),
      () => probing,
      // Only a server that is gone is the other side's fault.
      new Classifier(["refused", "reset"], ["2xx"]),
      scheduler,
      this.#recorder,
      { measuring() {}, ended: () => ended() },
    );
    this.#transport = new Http1Transport(requestOf(spec), scheduler, this.#loop);
  }

  /** Opens its connection. */
  async prepare(stopRequested: () => boolean): Promise<void> {
    await this.#transport.prepare(stopRequested, TIMEOUT_SECONDS);
  }

  /** The trial starts. */
  start(): void {
    this.#loop.start(this.#transport);
  }

  /** Sends no more probes. Those under way go on. */
  stop(): void {
    this.#loop.stop();
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** What the probes came to, but for those that met a server that was gone: they say nothing about this generator. */
  get data(): SentinelData {
    const { planned, outcomes, response } = this.#recorder.measured;
    const answered = response.ok ?? new LatencyHistogram();
    return {
      rps: RPS,
      planned: planned - this.#goneCount,
      ok: outcomes.ok,
      response: answered.data(),
      worstP90Seconds: answered.quantileSeconds(0.9),
    };
  }

  /** Says so when the server was gone. */
  get remarks(): readonly Reason[] {
    return this.#goneCount === 0 ? [] : [noSentinel("was gone before the trial ended", this.#goneCount)];
  }

  get #goneCount(): number {
    return this.#recorder.measured.classes.overloaded;
  }
}

/** A probe's request, on a connection that is opened ahead. */
function requestOf({ url, transport }: SentinelSpec): RealWorldSpec {
  return {
    kind: "real",
    url,
    method: "GET",
    headers: [],
    body: undefined,
    pacing: "precise",
    ...(transport === undefined ? {} : { transport }),
    sentinelUrl: undefined,
    connections: { ...DIRECT_CONNECTIONS, preopen: 1 },
  };
}
