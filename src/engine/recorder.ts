/** Everything that is counted and timed in a trial. Memory is constant in the number of requests. */

import type { AttemptClass, Call, Outcome } from "./call.ts";
import { LatencyHistogram } from "./histogram.ts";
import { SecondSeries } from "./series.ts";

type OutcomeCounts = Record<Outcome, number>;
type ClassCounts = Record<AttemptClass, number>;

/** Local rejects count as attempts made: the policy was asked, counted the attempt, and refused it. */
const LOCAL_REJECTS: ReadonlySet<Outcome> = new Set<Outcome>(["throttled", "broken", "limited", "deadline"]);

export class Recorder {
  planned = 0;
  made = 0;
  sent = 0;
  readonly outcomes: OutcomeCounts = {
    ok: 0,
    throttled: 0,
    budget: 0,
    failed: 0,
    broken: 0,
    limited: 0,
    deadline: 0,
    dropped: 0,
    unfinished: 0,
  };
  readonly classes: ClassCounts = { accepted: 0, overloaded: 0, failed: 0, clientFault: 0, staleConnection: 0 };
  inFlightAtEnd = 0;
  /** First attempts handed over after the planned end of the arrivals: the generator was that far behind. */
  handedAfterEnd = 0;
  readonly statuses: Map<number, number> = new Map();
  readonly errors: Map<string, number> = new Map();

  readonly response: Partial<Record<Outcome, LatencyHistogram>> = {};
  readonly service: Partial<Record<AttemptClass, LatencyHistogram>> = {};
  readonly wait: LatencyHistogram = new LatencyHistogram();
  readonly lateness: LatencyHistogram = new LatencyHistogram();
  readonly series: SecondSeries = new SecondSeries();
  readonly userPlanned: Uint32Array;
  readonly userOk: Uint32Array;

  readonly #durationSeconds: number;

  constructor(users: number, durationSeconds: number) {
    this.#durationSeconds = durationSeconds;
    this.userPlanned = new Uint32Array(users);
    this.userOk = new Uint32Array(users);
  }

  /** A call of the plan has come due. */
  arrived(call: Call): void {
    this.planned += 1;
    this.series.add("offered", call.intendedSeconds);
    this.userPlanned[call.user] = (this.userPlanned[call.user] as number) + 1;
  }

  /** The current attempt of `call` is handed to the transport. */
  handed(call: Call): void {
    this.made += 1;
    this.sent += 1;
    this.series.add("sent", call.intendedSeconds);
    if (call.attempt > 0 || call.resent) return;
    this.lateness.record(call.handedSeconds - call.intendedSeconds);
    if (call.handedSeconds > this.#durationSeconds) this.handedAfterEnd += 1;
  }

  /** The attempt ended at `nowSeconds`. */
  attemptEnded(call: Call, attemptClass: AttemptClass, nowSeconds: number): void {
    this.classes[attemptClass] += 1;
    if (attemptClass === "accepted") this.series.add("accepted", call.intendedSeconds);
    if (call.status !== 0) increment(this.statuses, call.status);
    if (call.fault !== "none") increment(this.errors, call.errorCode);
    this.#waited(call, nowSeconds);
    if (call.startedSeconds < 0) return;
    let service = this.service[attemptClass];
    if (service === undefined) {
      service = new LatencyHistogram();
      this.service[attemptClass] = service;
    }
    service.record(nowSeconds - call.startedSeconds, call.fault === "timeout");
  }

  /** The call ended at `nowSeconds` with `outcome`. */
  callEnded(call: Call, outcome: Outcome, nowSeconds: number): void {
    this.outcomes[outcome] += 1;
    this.series.add(outcome, call.intendedSeconds);
    if (LOCAL_REJECTS.has(outcome)) this.made += 1;
    if (outcome === "ok") this.userOk[call.user] = (this.userOk[call.user] as number) + 1;
    if (outcome === "dropped") return;
    let response = this.response[outcome];
    if (response === undefined) {
      response = new LatencyHistogram();
      this.response[outcome] = response;
    }
    response.record(nowSeconds - call.intendedSeconds, outcome === "unfinished");
  }

  /** The attempt of `call` was still under way when the trial was cut off. */
  cutOff(call: Call, nowSeconds: number): void {
    this.inFlightAtEnd += 1;
    this.#waited(call, nowSeconds);
  }

  #waited(call: Call, nowSeconds: number): void {
    if (call.startedSeconds < 0) this.wait.record(nowSeconds - call.handedSeconds, true);
    else this.wait.record(call.startedSeconds - call.handedSeconds);
  }
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
