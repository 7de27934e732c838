/**
 * An HdrHistogram log, `.hlog`, format 1.3: a line for each latency distribution of each trial, as the result file holds it
 * (V2, compressed, base64, values in microseconds), tagged with its arm, trial and name: `Tag=on.1.response.ok`.
 */

import type { LatencySummary, TrialResult } from "../../result/schema.ts";
import type { NamedResult } from "../named-result.ts";
import { harmless } from "./harmless.ts";
import { trialLatencies } from "./trial-latencies.ts";

const LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"';

export function renderHlog(results: readonly NamedResult[]): string {
  const several = results.length > 1;
  const entries = results
    .flatMap(({ name, result }) =>
      result.trials.map((trial) => ({ prefix: several ? `${name}.` : "", trial, seconds: secondsOf(trial) })),
    )
    .sort((a, b) => a.seconds - b.seconds);
  const start = entries[0]?.seconds ?? 0;
  return [
    "#[Histogram log format version 1.3]",
    `#[StartTime: ${start.toFixed(3)} (seconds since epoch), ${new Date(start * 1000).toISOString()}]`,
    "#[Values are microseconds, Interval_Max is in milliseconds]",
    LEGEND,
    ...entries.flatMap(({ prefix, trial, seconds }) =>
      trialLatencies(trial)
        .filter(({ latency }) => latency.hdr !== "")
        .map(({ name, latency }) => line(`${prefix}${trial.arm}.${trial.pair + 1}.${name}`, seconds, trial, latency)),
    ),
    "",
  ].join("\n");
}

function line(tag: string, seconds: number, { durationSeconds }: TrialResult, latency: LatencySummary): string {
  const numbers = [seconds, durationSeconds, latency.maxMs].map((value) => value.toFixed(3));
  return [`Tag=${tagged(tag)}`, ...numbers, latency.hdr].join(",");
}

/** A tag ends at a comma, and at a space for some readers. */
function tagged(text: string): string {
  return harmless(text).replace(/[\s,]/gu, "_");
}

/** Wall time of the start; a label that somebody may have edited. */
function secondsOf({ startedAt }: TrialResult): number {
  const millis = Date.parse(startedAt);
  return Number.isNaN(millis) ? 0 : millis / 1000;
}
