/** Figures of one trial, by their paths in the result file. */

import { cpuRejectRatio, fairness } from "../figures/trial-figures.ts";
import type { LatencySummary, TrialResult } from "../result/schema.ts";
import { isStoredPercentile, NAMED_ITEMS, percentileShare, shortName } from "./catalogue.ts";
import { type Known, known, missing } from "./known.ts";
import { atLeast, point } from "./span.ts";

/**
 * The value in ms at or below which a share of a distribution's values lies: for percentiles that the result file does not
 * have. It decodes the histogram, so it comes from outside; undefined where that cannot be decoded.
 */
export type PercentileReader = (latency: LatencySummary, share: number) => number | undefined;

/** Counts of what a result lists only where there was any: what is not listed was counted zero times. */
const COUNTED_WHERE_ANY: ReadonlySet<string> = new Set(["statuses", "errors", "addresses"]);

/** The figure of a trial; a latency that rests on time-outs is a lower bound. */
export function figureOfTrial(trial: TrialResult, path: readonly string[], percentile?: PercentileReader): Known {
  const special = specialFigure(trial, path.join("."));
  if (special !== undefined) return special;
  let value: unknown = trial;
  for (const [index, part] of path.entries()) {
    const above = path[index - 1] ?? "";
    if (isLatency(value)) return latencyValue(value, part, path, percentile);
    if (COUNTED_WHERE_ANY.has(above) && isRecord(value)) return known(point(countOf(value, part)));
    const next = partOf(value, part, above);
    if (next === undefined) return absent(path, index);
    value = next;
  }
  return typeof value === "number" ? known(point(value)) : missing(`${shortName(path)} is ${JSON.stringify(value)}`);
}

/** Figures that are means over the whole trial. */
const OVERALL: ReadonlySet<string> = new Set(["rates", "amplification", "waste"]);
const OVERALL_LATENCIES: ReadonlySet<string> = new Set(["response", "service", "wait"]);

/** Why a search for a capacity, which climbs from next to nothing, has no such figure; undefined: it has. */
export function whyNotOfSearch([part = "", kind = ""]: readonly string[]): string | undefined {
  const isOverall = OVERALL.has(part) || (part === "latency" && OVERALL_LATENCIES.has(kind));
  return isOverall
    ? "over the whole climb of a search it would say nothing: ask for capacity.goodput or capacity.offer"
    : undefined;
}

/** Parts that only some trials have. */
const ABSENT_PARTS: ReadonlyMap<string, string> = new Map([
  ["governor", "it was not under the governor"],
  ["recovery", "it had no trigger, or was cut short"],
  ["age", "its clients were cold"],
  ["aborted", "no guard ended it"],
]);

/** Figures that mean nothing where nothing was counted, and those that are worked out of others. */
function specialFigure(trial: TrialResult, path: string): Known | undefined {
  switch (path) {
    case "amplification":
      return trial.calls.planned === 0 ? missing("no call was planned") : undefined;
    case "waste":
      return trial.attempts.sent === 0 ? missing("nothing was sent") : undefined;
    case "users.jain": {
      const jain = fairness(trial);
      return jain === undefined ? missing("no call was ok, so there was nothing to share") : known(point(jain));
    }
    case "target.cpuRejectRatio": {
      const ratio = cpuRejectRatio(trial);
      return ratio === undefined ? missing("the target did not tell what its CPU did") : known(point(ratio));
    }
    case "recovery.seconds":
      return trial.recovery?.seconds === null ? known(atLeast(trial.recovery.horizonSeconds)) : undefined;
    case "recovery.reactSeconds":
      return trial.recovery?.reactSeconds === null ? missing("the policy never reacted to the trigger") : undefined;
    case "governor.ceiling":
      return trial.governor?.ceiling === null ? missing("the governor had no ceiling") : undefined;
    case "governor.offer":
    case "governor.goodput":
    case "governor.failedShare":
      return trial.governor?.windows.length === 0 ? missing("no window of the governor came to its end") : undefined;
    default:
      return undefined;
  }
}

function absent(path: readonly string[], index: number): Known {
  const last = path.at(-1);
  // An outcome without calls, a class without attempts and a kind of them that did not occur are left out.
  if (path[0] === "latency" && index === 2 && (last === "count" || last === "censored")) return known(point(0));
  if (path[0] === "latency") return missing(`nothing ended so, so there is no ${shortName(path)}`);
  if (last === "cancelled") return known(point(0));
  const part = index === 0 ? ABSENT_PARTS.get(path[0] ?? "") : undefined;
  if (part !== undefined) return missing(`there is no ${shortName(path)}: ${part}`);
  return missing(`there is no ${shortName(path.slice(0, index + 1))}`);
}

function latencyValue(
  latency: LatencySummary,
  name: string,
  path: readonly string[],
  percentile: PercentileReader | undefined,
): Known {
  const { count, censored } = latency;
  if (name === "count") return known(point(count));
  if (name === "censored") return known(point(censored));
  if (count === 0) return missing(`nothing ended so, so there is no ${shortName(path)}`);
  const exact = count - censored;
  const bounded = (value: number, rank: number): Known => known(rank > exact ? atLeast(value) : point(value));
  switch (name) {
    case "minMs":
      return bounded(latency.minMs, 1);
    case "meanMs":
      return bounded(latency.meanMs, count);
    case "maxMs":
      return bounded(latency.maxMs, count);
    default: {
      const share = percentileShare(name);
      if (share === undefined) return missing(`there is no ${shortName(path)}`);
      const rank = Math.ceil(share * count);
      if (isStoredPercentile(name)) return bounded(latency[name as "p50Ms" | "p90Ms" | "p99Ms" | "p999Ms"], rank);
      if (percentile === undefined) return missing(`${shortName(path)} is not in the result file`);
      const value = percentile(latency, share);
      return value === undefined
        ? missing(`the distribution of ${shortName(path)} cannot be read`)
        : bounded(value, rank);
    }
  }
}

/** `5xx`: all statuses of the class. */
function countOf(counts: Readonly<Record<string, unknown>>, name: string): number {
  const ofClass = /^\dxx$/u.test(name);
  let total = 0;
  for (const [key, count] of Object.entries(counts)) {
    if (key === name || (ofClass && key[0] === name[0] && /^\d\d\d$/u.test(key))) total += Number(count);
  }
  return total;
}

function partOf(value: unknown, part: string, above: string): unknown {
  if (Array.isArray(value)) {
    const key = NAMED_ITEMS[above];
    return key === undefined ? undefined : value.find((item) => isRecord(item) && item[key] === part);
  }
  return isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

function isLatency(value: unknown): value is LatencySummary {
  return isRecord(value) && typeof value.hdr === "string";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
