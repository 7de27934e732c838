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
};

/** Memory is constant in the number of calls. */
export class Tally implements Tallied<LatencyHistogram> {
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
  readonly response: Partial<Record<Outcome, LatencyHistogram>> = {};
  readonly service: Partial<Record<AttemptClass, LatencyHistogram>> = {};
  readonly wait: LatencyHistogram = new LatencyHistogram();
  readonly lateness: LatencyHistogram = new LatencyHistogram();

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
    if (call.status !== 0) increment(this.statuses, call.status);
    if (call.fault !== "none") this.#failed(call.errorCode);
    this.#waited(call, nowSeconds);
    if (call.startedSeconds < 0) return;
    let service = this.service[attemptClass];
    if (service === undefined) {
      service = new LatencyHistogram();
      this.service[attemptClass] = service;
    }
    service.record(nowSeconds - call.startedSeconds, call.fault === "timeout");
  }

  /** `call` ended at `nowSeconds` with `outcome`. */
  callEnded(call: Call, outcome: Outcome, nowSeconds: number): void {
    this.outcomes[outcome] += 1;
    if (LOCAL_REJECTS.has(outcome)) this.made += 1;
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
    if (call.startedSeconds < 0) this.wait.record(nowSeconds - call.handedSeconds, true);
    else this.wait.record(call.startedSeconds - call.handedSeconds);
  }

  /** A copy as plain data. */
  data(): TallyData {
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
      response: eachLatency(this.response, (histogram) => histogram.data()),
      service: eachLatency(this.service, (histogram) => histogram.data()),
      wait: this.wait.data(),
      lateness: this.lateness.data(),
    };
  }

  #waited(call: Call, nowSeconds: number): void {
    // One that ended in a refusal is known; one that was given up would have gone on.
    if (call.startedSeconds < 0) this.wait.record(nowSeconds - call.handedSeconds, call.fault === "timeout");
    else this.wait.record(call.startedSeconds - call.handedSeconds);
  }

  #failed(code: string): void {
    const known = this.errors.size < ERROR_CODES_MAX || this.errors.has(code);
    increment(this.errors, known ? code : OTHER_ERROR);
  }
}

/** The sum of several tallies: counts and histograms add up, so that it does not matter how the calls were split. */
export function addTallies(parts: readonly TallyData[]): TallyData {
  const sumOf = (count: (part: TallyData) => number): number => parts.reduce((sum, part) => sum + count(part), 0);
  return {
    planned: sumOf((part) => part.planned),
    made: sumOf((part) => part.made),
    sent: sumOf((part) => part.sent),
    outcomes: addCounts(
      NO_OUTCOMES,
      parts.map((part) => part.outcomes),
    ),
    classes: addCounts(
      NO_CLASSES,
      parts.map((part) => part.classes),
    ),
    inFlightAtEnd: sumOf((part) => part.inFlightAtEnd),
    startedAfterEnd: sumOf((part) => part.startedAfterEnd),
    lateStarted: sumOf((part) => part.lateStarted),
    lateDropped: sumOf((part) => part.lateDropped),
    statuses: addMaps(parts.map((part) => part.statuses)),
    errors: addMaps(parts.map((part) => part.errors)),
    response: addLatencies(parts.map((part) => part.response)),
    service: addLatencies(parts.map((part) => part.service)),
    wait: addHistograms(parts.map((part) => part.wait)),
    lateness: addHistograms(parts.map((part) => part.lateness)),
  };
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

function addCounts<Key extends string>(
  zero: Readonly<Record<Key, number>>,
  parts: readonly Readonly<Record<Key, number>>[],
): Record<Key, number> {
  const sum: Record<Key, number> = { ...zero };
  for (const part of parts) for (const key of Object.keys(zero) as Key[]) sum[key] += part[key];
  return sum;
}

function addMaps<Key>(parts: readonly ReadonlyMap<Key, number>[]): Map<Key, number> {
  const sum = new Map<Key, number>();
  for (const part of parts) for (const [key, count] of part) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}

function addLatencies<Key extends string>(
  parts: readonly Readonly<Partial<Record<Key, HistogramData>>>[],
): Partial<Record<Key, HistogramData>> {
  const keys = new Set(parts.flatMap((part) => Object.keys(part) as Key[]));
  const sum: Partial<Record<Key, HistogramData>> = {};
  for (const key of keys) {
    sum[key] = addHistograms(parts.map((part) => part[key]).filter((data) => data !== undefined));
  }
  return sum;
}

/** The sum of several distributions. */
export function addHistograms(parts: readonly HistogramData[]): HistogramData {
  const sum = new LatencyHistogram();
  for (const part of parts) sum.add(part);
  return sum.data();
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
