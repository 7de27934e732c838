/**
 * What one generator thread measured of a trial, as plain data that can cross to another thread. Parts of the same trial
 * add up to one that cannot be told from what a single thread would have recorded, but for what the fields say.
 */

import type { Governed } from "../result/governor-schema.ts";
import type { Reason, TrialResult } from "../result/schema.ts";
import type { Ledger } from "./conservation.ts";
import { worstGaps } from "./gap-fit.ts";
import type { HistogramData } from "./histogram.ts";
import type { OpenLoop } from "./open-loop.ts";
import type { Recorder } from "./recorder.ts";
import { addSeries } from "./series.ts";
import { addHistograms, addTallies, type TallyData } from "./tally.ts";

/** What the probes of a null server came to, see src/world/real/sentinel.ts. */
export interface SentinelData {
  /** Probes per second and worker. */
  readonly rps: number;
  readonly planned: number;
  readonly ok: number;
  /** From the intended time to the answer, of the ok ones. */
  readonly response: HistogramData;
  /** p90 of the response, of the worst part: one thread of many would not show in the p90 over all of them. */
  readonly worstP90Seconds: number;
}

/** What the world adds: how it was generated, and over which connections. */
export interface WorldFacts {
  /** Wall time of the start, ISO 8601. */
  readonly startedAt: string;
  readonly model?: string;
  readonly script?: string;
  readonly transport?: NonNullable<TrialResult["transport"]>;
  readonly connections?: NonNullable<TrialResult["connections"]>;
  readonly generator?: Omit<NonNullable<TrialResult["generator"]>, "sentinel">;
  readonly sentinel?: SentinelData;
  /** The past that the clients were given. */
  readonly age?: NonNullable<TrialResult["age"]>;
  /** What else is to stand beside the verdict. */
  readonly remarks?: readonly Reason[];
}

export interface TrialPart extends Ledger {
  readonly warmup: TallyData;
  readonly measured: TallyData;
  /**
   * When the arrivals ended, the warm-up included. Threads see a request to stop at moments up to a poll apart, so of
   * interrupted parts this is the mean: with the users, and so the load, split evenly, rates over it are the true ones.
   */
  readonly arrivalsEndSeconds: number;
  /** From the end of the arrivals to the last outcome; of several parts, the longest. */
  readonly drainSeconds: number;
  /** True when any part was cut short. */
  readonly interrupted: boolean;
  /** True when its generator was killed, and this was put together from its journal. */
  readonly recovered: boolean;
  /**
   * Lateness p99 of the calls in the measured window, of the worst part: one thread of eight that fell behind would not
   * show in the p99 over all of them.
   */
  readonly worstLatenessP99Seconds: number;
  /** See {@link ClassTally.counts}; undefined where all calls are alike, and in a trial recovered from its journal. */
  readonly classCounts: Uint32Array | undefined;
  readonly facts: WorldFacts;
  /** What the governor did; undefined where the plan said what was offered. */
  readonly governed: GovernedPart | undefined;
  /** The guard that ended it, and when; of several parts, the first one. */
  readonly aborted: TrialResult["aborted"] | undefined;
}

/** See {@link Governed}. */
export type GovernedPart = Pick<Governed, "ended" | "windows" | "events">;

/** What a finished loop, its recorder and what steered them leave behind. */
export function partOf(
  loop: OpenLoop,
  recorder: Recorder,
  facts: WorldFacts,
  { governed, aborted }: Partial<Pick<TrialPart, "governed" | "aborted">> = {},
): TrialPart {
  return {
    warmupSeconds: recorder.warmupSeconds,
    warmup: recorder.warmup.data(),
    measured: recorder.measured.data(),
    series: recorder.series,
    userPlanned: recorder.userPlanned,
    userOk: recorder.userOk,
    classCounts: recorder.classes?.counts,
    arrivalsEndSeconds: loop.arrivalsEndSeconds,
    drainSeconds: Math.max(0, loop.doneSeconds - loop.arrivalsEndSeconds),
    interrupted: loop.interrupted,
    recovered: false,
    worstLatenessP99Seconds: recorder.measured.lateness.quantileSeconds(0.99),
    facts,
    governed,
    aborted,
  };
}

/**
 * Adds the parts of one trial up: counts, series and connections by adding, histograms bin by bin with exact minimum,
 * maximum and sum beside them.
 *
 * @throws RangeError when there is no part.
 */
export function mergeParts(parts: readonly TrialPart[]): TrialPart {
  const [first] = parts;
  if (first === undefined) throw new RangeError("Cannot merge as 'parts' must hold a part: current value is []");
  if (parts.length === 1) return first;
  const interrupted = parts.some((part) => part.interrupted);
  return {
    warmupSeconds: first.warmupSeconds,
    warmup: addTallies(parts.map((part) => part.warmup)),
    measured: addTallies(parts.map((part) => part.measured)),
    series: addSeries(parts.map((part) => part.series)),
    userPlanned: addCounts(parts.map((part) => part.userPlanned)),
    userOk: addCounts(parts.map((part) => part.userOk)),
    classCounts: addCounts(parts.map((part) => part.classCounts)),
    // Otherwise all ended as planned, and a mean would add a rounding.
    arrivalsEndSeconds: interrupted
      ? sumOf(parts.map((part) => part.arrivalsEndSeconds)) / parts.length
      : first.arrivalsEndSeconds,
    drainSeconds: maxOf(parts.map((part) => part.drainSeconds)),
    interrupted,
    recovered: parts.some((part) => part.recovered),
    worstLatenessP99Seconds: maxOf(parts.map((part) => part.worstLatenessP99Seconds)),
    facts: mergeFacts(parts.map((part) => part.facts)),
    governed: first.governed,
    aborted: firstAborted(parts.map((part) => part.aborted)),
  };
}

/** Of several guards that ended one trial, the one that did so first: the others would have come too late. */
export function firstAborted(parts: readonly TrialResult["aborted"][]): TrialResult["aborted"] {
  return parts
    .filter((aborted) => aborted !== undefined)
    .reduce<TrialResult["aborted"]>(
      (first, aborted) => (first === undefined || aborted.atSeconds < first.atSeconds ? aborted : first),
      undefined,
    );
}

/** What several threads tell of one trial. */
export function mergeFacts(facts: readonly WorldFacts[]): WorldFacts {
  const [first] = facts as [WorldFacts];
  const connections = facts.map((fact) => fact.connections).filter((found) => found !== undefined);
  const generators = facts.map((fact) => fact.generator).filter((found) => found !== undefined);
  const sentinels = facts.map((fact) => fact.sentinel).filter((found) => found !== undefined);
  const ages = facts.map((fact) => fact.age).filter((found) => found !== undefined);
  return {
    ...first,
    startedAt: facts.map((fact) => fact.startedAt).sort()[0] as string,
    ...(connections.length === 0 ? {} : { connections: mergeConnections(connections) }),
    ...(generators.length === 0 ? {} : { generator: mergeGenerators(generators) }),
    ...(sentinels.length === 0 ? {} : { sentinel: mergeSentinels(sentinels) }),
    ...(ages.length === 0 ? {} : { age: mergeAges(ages) }),
    remarks: mergeRemarks(facts.flatMap((fact) => fact.remarks ?? [])),
  };
}

function mergeConnections(
  parts: readonly NonNullable<WorldFacts["connections"]>[],
): WorldFacts["connections"] & object {
  const addresses: Record<string, number> = {};
  const resumed = parts.map((part) => part.resumed).filter((count) => count !== undefined);
  for (const part of parts) {
    for (const [address, count] of Object.entries(part.addresses))
      addresses[address] = (addresses[address] ?? 0) + count;
  }
  return {
    wanted: sumOf(parts.map((part) => part.wanted)),
    opened: sumOf(parts.map((part) => part.opened)),
    failed: sumOf(parts.map((part) => part.failed)),
    preopened: sumOf(parts.map((part) => part.preopened)),
    reused: sumOf(parts.map((part) => part.reused)),
    closedByPeer: sumOf(parts.map((part) => part.closedByPeer)),
    peak: sumOf(parts.map((part) => part.peak)),
    stale: sumOf(parts.map((part) => part.stale)),
    ...(resumed.length === 0 ? {} : { resumed: sumOf(resumed) }),
    addresses,
  };
}

/** The largest of a figure that not every system tells. */
function worstOf<Key extends "busyRatio" | "waitRatio" | "throttledRatio">(
  key: Key,
  parts: readonly NonNullable<WorldFacts["generator"]>[],
): { [Told in Key]?: number } {
  const told = parts.map((part) => part[key]).filter((ratio) => ratio !== undefined);
  return told.length === 0 ? {} : ({ [key]: maxOf(told) } as { [Told in Key]: number });
}

/**
 * Threads of one process read the same clocks of that process: its CPU time and memory are not theirs to add. What a thread
 * suffered is told of the worst one.
 */
function mergeGenerators(parts: readonly NonNullable<WorldFacts["generator"]>[]): WorldFacts["generator"] & object {
  const gaps = worstGaps(parts.map((part) => part.gaps).filter((found) => found !== undefined));
  return {
    cpuSeconds: maxOf(parts.map((part) => part.cpuSeconds)),
    wallSeconds: maxOf(parts.map((part) => part.wallSeconds)),
    workers: sumOf(parts.map((part) => part.workers)),
    inFlightMax: sumOf(parts.map((part) => part.inFlightMax)),
    stealRatio: maxOf(parts.map((part) => part.stealRatio)),
    rssMaxBytes: maxOf(parts.map((part) => part.rssMaxBytes)),
    ...worstOf("busyRatio", parts),
    ...worstOf("waitRatio", parts),
    ...worstOf("throttledRatio", parts),
    stallMaxMs: maxOf(parts.map((part) => part.stallMaxMs)),
    clockJumpMs: maxOf(parts.map((part) => part.clockJumpMs)),
    ...(gaps === undefined ? {} : { gaps }),
  };
}

function mergeSentinels(parts: readonly SentinelData[]): SentinelData {
  return {
    rps: maxOf(parts.map((part) => part.rps)),
    planned: sumOf(parts.map((part) => part.planned)),
    ok: sumOf(parts.map((part) => part.ok)),
    response: addHistograms(parts.map((part) => part.response)),
    worstP90Seconds: maxOf(parts.map((part) => part.worstP90Seconds)),
  };
}

/** Each thread's users had a past of their own, of the same length. */
function mergeAges(ages: readonly NonNullable<WorldFacts["age"]>[]): NonNullable<WorldFacts["age"]> {
  return {
    seconds: maxOf(ages.map((age) => age.seconds)),
    calls: sumOf(ages.map((age) => age.calls)),
    throttled: sumOf(ages.map((age) => age.throttled)),
  };
}

/** What several threads remark is said once, with the worst figure. */
function mergeRemarks(remarks: readonly Reason[]): readonly Reason[] {
  const worst = new Map<string, Reason>();
  for (const remark of remarks) {
    const known = worst.get(remark.code);
    if (known === undefined || remark.figure > known.figure) worst.set(remark.code, remark);
  }
  return [...worst.values()];
}

function addCounts(parts: readonly (Uint32Array | undefined)[]): Uint32Array | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const sum = new Uint32Array(maxOf(known.map((part) => part.length)));
  for (const part of known) {
    for (let index = 0; index < part.length; index += 1) sum[index] = (sum[index] as number) + (part[index] as number);
  }
  return sum;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function maxOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
