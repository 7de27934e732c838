/** What is counted and timed over one stretch of a trial: its warm-up, or its measured window. */

import type { AttemptClass, Call, Outcome } from "./call.ts";
import { type HistogramData, LatencyHistogram } from "./histogram.ts";

/** `Latency` is what stands for a distribution: a histogram that records, or the data of one. */
export interface Tallied<Latency> {
  /** Calls of the plan that came due. */
  readonly planned: number;
  /** Attempts made, and of these the ones sent. */
  readonly made: number;
  readonly sent: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly classes: Readonly<Record<AttemptClass, number>>;
  readonly inFlightAtEnd: number;
  /** Calls started after the planned end of the arrivals: the generator was that far behind. */
  readonly startedAfterEnd: number;
  /** Calls to which the generator came late, see late.ts: those it started anyway, and those it gave up. */
  readonly lateStarted: number;
  readonly lateDropped: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** By code; see {@link ERROR_CODES_MAX}. */
  readonly errors: ReadonlyMap<string, number>;
  readonly response: Readonly<Partial<Record<Outcome, Latency>>>;
  readonly service: Readonly<Partial<Record<AttemptClass, Latency>>>;
  readonly wait: Latency;
  /** Of every planned call, from its intended time to when the generator took it up. */
  readonly lateness: Latency;
}

/** A tally as plain data, to cross to another thread. */
export type TallyData = Tallied<HistogramData>;

/** What records a distribution, and hands it out as plain data. */
export interface LatencyRecorder {
  /** See {@link LatencyHistogram.record}. */
  record(seconds: number, censored?: boolean): void;
  data(): unknown;
}

/** How the generator took a call up: it started it, in time or late, gave it up for being late, or had no room for it. */
export type Uptake = "started" | "startedLate" | "droppedLate" | "refused";

/** Codes come from runtimes and libraries, some with free text in them: further ones count as {@link OTHER_ERROR}. */
const ERROR_CODES_MAX = 64;
const OTHER_ERROR = "other";

/** Local rejects count as attempts made: the policy was asked, counted the attempt, and refused it. */
const LOCAL_REJECTS: ReadonlySet<Outcome> = new Set<Outcome>(["throttled", "broken", "limited", "deadline"]);

const NO_OUTCOMES: Readonly<Record<Outcome, number>> = {
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
const NO_CLASSES: Readonly<Record<AttemptClass, number>> = {
  accepted: 0,
  overloaded: 0,
  failed: 0,
  clientFault: 0,
  staleConnection: 0,
  cancelled: 0,
};
const OUTCOMES = Object.keys(NO_OUTCOMES) as readonly Outcome[];
const CLASSES = Object.keys(NO_CLASSES) as readonly AttemptClass[];

/** Memory is constant in the number of calls. */
export class Tally<Latency extends LatencyRecorder> implements Tallied<Latency> {
  planned = 0;
  made = 0;
  sent = 0;
  readonly outcomes: Record<Outcome, number> = { ...NO_OUTCOMES };
  readonly classes: Record<AttemptClass, number> = { ...NO_CLASSES };
  inFlightAtEnd = 0;
  startedAfterEnd = 0;
  lateStarted = 0;
  lateDropped = 0;
  readonly statuses: Map<number, number> = new Map();
  readonly errors: Map<string, number> = new Map();
  readonly response: Partial<Record<Outcome, Latency>> = {};
  readonly service: Partial<Record<AttemptClass, Latency>> = {};
  readonly wait: Latency;
  readonly lateness: Latency;
  readonly #newLatency: () => Latency;

  constructor(newLatency: () => Latency) {
    this.#newLatency = newLatency;
    this.wait = newLatency();
    this.lateness = newLatency();
  }

  /** A call of the plan has come due, and was taken up. */
  arrived(latenessSeconds: number, uptake: Uptake): void {
    this.planned += 1;
    // What was given up would have come later still.
    this.lateness.record(latenessSeconds, uptake === "droppedLate");
    if (uptake === "startedLate") this.lateStarted += 1;
    else if (uptake === "droppedLate") this.lateDropped += 1;
  }

  /** An attempt is handed to the transport. */
  handed(): void {
    this.made += 1;
    this.sent += 1;
  }

  /** The attempt of `call` ended at `nowSeconds`. */
  attemptEnded(call: Call, attemptClass: AttemptClass, nowSeconds: number): void {
    this.classes[attemptClass] += 1;
    if (call.status !== 0) increase(this.statuses, call.status, 1);
    if (call.fault !== "none") this.#failed(call.errorCode, 1);
    // One that ended in a refusal is known; one that was given up would have gone on.
    const givenUp = call.fault === "timeout" || attemptClass === "cancelled";
    this.#waited(call, nowSeconds, givenUp);
    if (call.startedSeconds < 0) return;
    this.#serviceOf(attemptClass).record(nowSeconds - call.startedSeconds, givenUp);
  }

  /** `call` ended at `nowSeconds` with `outcome`. */
  callEnded(call: Call, outcome: Outcome, nowSeconds: number): void {
    this.outcomes[outcome] += 1;
    if (LOCAL_REJECTS.has(outcome)) this.made += 1;
    if (outcome === "dropped") return;
    this.#responseOf(outcome).record(nowSeconds - call.intendedSeconds, outcome === "unfinished");
  }

  /** The attempt of `call` was still under way when the trial was cut off. */
  cutOff(call: Call, nowSeconds: number): void {
    this.inFlightAtEnd += 1;
    this.#waited(call, nowSeconds, true);
  }

  /** All distributions that it has. */
  latencies(): readonly Latency[] {
    return [
      ...Object.values<Latency>(this.response),
      ...Object.values<Latency>(this.service),
      this.wait,
      this.lateness,
    ];
  }

  /** A copy as plain data. */
  data(): Tallied<ReturnType<Latency["data"]>> {
    const dataOf = (latency: Latency): ReturnType<Latency["data"]> => latency.data() as ReturnType<Latency["data"]>;
    return {
      planned: this.planned,
      made: this.made,
      sent: this.sent,
      outcomes: { ...this.outcomes },
      classes: { ...this.classes },
      inFlightAtEnd: this.inFlightAtEnd,
      startedAfterEnd: this.startedAfterEnd,
      lateStarted: this.lateStarted,
      lateDropped: this.lateDropped,
      statuses: new Map(this.statuses),
      errors: new Map(this.errors),
      response: eachLatency(this.response, dataOf),
      service: eachLatency(this.service, dataOf),
      wait: dataOf(this.wait),
      lateness: dataOf(this.lateness),
    };
  }

  /**
   * Adds all that another tally counted: it does not matter how the calls were split.
   *
   * @param add adds one distribution to another.
   */
  absorb<Other>(other: Tallied<Other>, add: (own: Latency, other: Other) => void): void {
    this.planned += other.planned;
    this.made += other.made;
    this.sent += other.sent;
    this.inFlightAtEnd += other.inFlightAtEnd;
    this.startedAfterEnd += other.startedAfterEnd;
    this.lateStarted += other.lateStarted;
    this.lateDropped += other.lateDropped;
    for (const outcome of OUTCOMES) {
      this.outcomes[outcome] += other.outcomes[outcome];
      const response = other.response[outcome];
      if (response !== undefined) add(this.#responseOf(outcome), response);
    }
    for (const attemptClass of CLASSES) {
      this.classes[attemptClass] += other.classes[attemptClass];
      const service = other.service[attemptClass];
      if (service !== undefined) add(this.#serviceOf(attemptClass), service);
    }
    for (const [status, count] of other.statuses) increase(this.statuses, status, count);
    for (const [code, count] of other.errors) this.#failed(code, count);
    add(this.wait, other.wait);
    add(this.lateness, other.lateness);
  }

  #responseOf(outcome: Outcome): Latency {
    let response = this.response[outcome];
    if (response === undefined) {
      response = this.#newLatency();
      this.response[outcome] = response;
    }
    return response;
  }

  #serviceOf(attemptClass: AttemptClass): Latency {
    let service = this.service[attemptClass];
    if (service === undefined) {
      service = this.#newLatency();
      this.service[attemptClass] = service;
    }
    return service;
  }

  #waited(call: Call, nowSeconds: number, givenUp: boolean): void {
    if (call.startedSeconds < 0) this.wait.record(nowSeconds - call.handedSeconds, givenUp);
    else this.wait.record(call.startedSeconds - call.handedSeconds);
  }

  #failed(code: string, count: number): void {
    const known = this.errors.size < ERROR_CODES_MAX || this.errors.has(code);
    increase(this.errors, known ? code : OTHER_ERROR, count);
  }
}

/** The sum of several tallies: counts and histograms add up, so that it does not matter how the calls were split. */
export function addTallies(parts: readonly TallyData[]): TallyData {
  const sum = new Tally(() => new LatencyHistogram());
  for (const part of parts) sum.absorb(part, (own, other) => own.add(other));
  return sum.data();
}

/** Applies `change` to each distribution there is. */
export function eachLatency<Key extends string, From, To>(
  latencies: Readonly<Partial<Record<Key, From>>>,
  change: (latency: From) => To,
): Partial<Record<Key, To>> {
  const changed: Partial<Record<Key, To>> = {};
  for (const [key, latency] of Object.entries(latencies)) changed[key as Key] = change(latency as From);
  return changed;
}

/** The sum of several distributions. */
export function addHistograms(parts: readonly HistogramData[]): HistogramData {
  const sum = new LatencyHistogram();
  for (const part of parts) sum.add(part);
  return sum.data();
}

function increase<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
