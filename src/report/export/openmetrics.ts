/** Results as OpenMetrics text: a sample for each trial, so that a file of it can be scraped from a folder or be pushed. */

import { isSearch } from "../../figures/is-search.ts";
import { cpuRejectRatio, fairness, OUTCOMES } from "../../figures/trial-figures.ts";
import type { LatencySummary, TrialResult } from "../../result/schema.ts";
import type { NamedResult } from "../named-result.ts";
import { findingFamilies } from "./openmetrics-findings.ts";
import { type Labels, openMetricsText, type TextFamily, type TextSample } from "./openmetrics-text.ts";

interface Family extends Omit<TextFamily, "samples"> {
  /** A mean over a load, which a search has none of: see {@link isSearch}. */
  readonly ofLoad?: true;
  readonly samples: (trial: TrialResult) => readonly TextSample[];
}

const VERDICTS = ["valid", "suspect", "invalid"] as const;
const QUANTILES = [
  ["0.5", "p50Ms"],
  ["0.9", "p90Ms"],
  ["0.99", "p99Ms"],
  ["0.999", "p999Ms"],
  ["1", "maxMs"],
] as const;

const FAMILIES: readonly Family[] = [
  {
    name: "trial_info",
    type: "gauge",
    help: "What was run.",
    samples: ({ policy, world, plan }) => [
      { suffix: "", labels: { policy: policy.name, world, plan: plan.hash, rate: plan.rate }, value: 1 },
    ],
  },
  {
    name: "verdict",
    type: "gauge",
    help: "1 for what the generator says of its own measurement.",
    samples: ({ validity }) =>
      VERDICTS.map((verdict) => ({ suffix: "", labels: { verdict }, value: verdict === validity.verdict ? 1 : 0 })),
  },
  gauge("duration_seconds", "seconds", "The measured window.", (trial) => trial.durationSeconds),
  gauge("drain_seconds", "seconds", "From the end of the arrivals to the last outcome.", (trial) => trial.drainSeconds),
  {
    name: "calls",
    type: "counter",
    help: "Planned calls by their outcome.",
    samples: ({ calls }) =>
      OUTCOMES.map((outcome) => ({ suffix: "_total", labels: { outcome }, value: calls[outcome] })),
  },
  {
    name: "attempts",
    type: "counter",
    help: "Attempts sent, by what became of them.",
    samples: ({ attempts: { made: _made, sent: _sent, ...classes } }) =>
      Object.entries(classes).map(([kind, count]) => ({
        suffix: "_total",
        labels: { class: kind },
        value: count ?? 0,
      })),
  },
  {
    name: "answers",
    type: "counter",
    help: "Answers by their HTTP status.",
    samples: ({ statuses }) =>
      Object.entries(statuses).map(([status, count]) => ({ suffix: "_total", labels: { status }, value: count })),
  },
  {
    name: "errors",
    type: "counter",
    help: "Attempts without an answer, by the error.",
    samples: ({ errors }) =>
      Object.entries(errors).map(([error, count]) => ({ suffix: "_total", labels: { error }, value: count })),
  },
  ofLoad(gauge("offered_calls_per_second", "calls_per_second", "Offered load.", ({ rates }) => rates.offered)),
  ofLoad(gauge("goodput_calls_per_second", "calls_per_second", "Calls that ended ok.", ({ rates }) => rates.goodput)),
  ofLoad(gauge("sent_attempts_per_second", "attempts_per_second", "Attempts sent.", ({ rates }) => rates.sent)),
  ofLoad(
    gauge("accepted_attempts_per_second", "attempts_per_second", "Attempts accepted.", ({ rates }) => rates.accepted),
  ),
  ofLoad(
    gauge("amplification_ratio", "ratio", "Attempts sent per planned call.", ({ amplification }) => amplification),
  ),
  ofLoad(gauge("waste_ratio", "ratio", "Share of the attempts sent that was not accepted.", ({ waste }) => waste)),
  gauge("fairness_ratio", "ratio", "Jain's index of ok calls over the users.", fairness),
  {
    name: "response_seconds",
    ofLoad: true,
    type: "summary",
    unit: "seconds",
    help: "From a call's intended time to its end, by its outcome.",
    samples: ({ latency }) => Object.entries(latency.response).flatMap(([outcome, of]) => summary({ outcome }, of)),
  },
  {
    name: "service_seconds",
    ofLoad: true,
    type: "summary",
    unit: "seconds",
    help: "From sending an attempt to its end, by its class.",
    samples: ({ latency }) => Object.entries(latency.service).flatMap(([kind, of]) => summary({ class: kind }, of)),
  },
  {
    name: "wait_seconds",
    ofLoad: true,
    type: "summary",
    unit: "seconds",
    help: "From handing an attempt over to having a connection for it.",
    samples: ({ latency }) => summary({}, latency.wait),
  },
  {
    name: "lateness_seconds",
    type: "summary",
    unit: "seconds",
    help: "From a call's intended time to the moment at which the generator came to it.",
    samples: ({ latency }) => summary({}, latency.lateness),
  },
  {
    name: "censored_responses",
    ofLoad: true,
    type: "counter",
    help: "Response times that are only lower bounds, by the outcome of the call.",
    samples: ({ latency }) =>
      Object.entries(latency.response).map(([outcome, of]) => ({
        suffix: "_total",
        labels: { outcome },
        value: of?.censored ?? 0,
      })),
  },
  gauge("generator_cpu_seconds", "seconds", "CPU time of the generator.", ({ generator }) => generator?.cpuSeconds),
  gauge("target_cpu_seconds", "seconds", "CPU time of the target.", ({ target }) => target?.cpuTotalSeconds),
  gauge(
    "target_cpu_rejections_ratio",
    "ratio",
    "Share of the target's CPU time for requests that went into rejections.",
    cpuRejectRatio,
  ),
  gauge(
    "client_age_seconds",
    "seconds",
    "Healthy past of the clients before the trial; absent: cold.",
    ({ age }) => age?.seconds,
  ),
  gauge(
    "recovery_seconds",
    "seconds",
    "From the end of the trigger until the system was back; absent where it was not within the horizon.",
    ({ recovery }) => recovery?.seconds ?? undefined,
  ),
  gauge(
    "aborted_seconds",
    "seconds",
    "When a guard ended the trial; absent where none did.",
    ({ aborted }) => aborted?.atSeconds,
  ),
];

export function renderOpenMetrics(results: readonly NamedResult[]): string {
  const several = results.length > 1;
  const trials = results.flatMap(({ name, result }) =>
    result.trials.map((trial) => ({
      trial,
      search: isSearch(result),
      labels: { ...(several ? { result: name } : {}), arm: trial.arm, pair: String(trial.pair + 1) },
    })),
  );
  const families = FAMILIES.map(({ samples, ofLoad: load = false, ...family }) => ({
    ...family,
    samples: trials.flatMap(({ trial, search, labels }) =>
      search && load ? [] : samples(trial).map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } })),
    ),
  }));
  return openMetricsText([...families, ...findingFamilies(results), assertionFamily(results, several)]);
}

function assertionFamily(results: readonly NamedResult[], several: boolean): TextFamily {
  const samples = results.flatMap(({ name, result }) =>
    (result.assertions ?? []).map(({ text, arm, holds }) => ({
      suffix: "",
      labels: { ...(several ? { result: name } : {}), assertion: text, ...(arm === "" ? {} : { arm }) },
      value: holds ? 1 : 0,
    })),
  );
  return { name: "assertion_holds", type: "gauge", help: "1 where an assertion holds.", samples };
}

function gauge(name: string, unit: string, help: string, figure: (trial: TrialResult) => number | undefined): Family {
  const samples = (trial: TrialResult): readonly TextSample[] => {
    const value = figure(trial);
    return value === undefined ? [] : [{ suffix: "", labels: {}, value }];
  };
  return { name, type: "gauge", unit, help, samples };
}

function ofLoad(family: Family): Family {
  return { ...family, ofLoad: true };
}

function summary(labels: Labels, latency: LatencySummary | undefined): TextSample[] {
  if (latency === undefined || latency.count === 0) return [];
  return [
    ...QUANTILES.map(([quantile, name]) => ({
      suffix: "",
      labels: { ...labels, quantile },
      value: seconds(latency[name]),
    })),
    { suffix: "_count", labels, value: latency.count },
    { suffix: "_sum", labels, value: seconds(latency.meanMs * latency.count) },
  ];
}

/** To the microsecond: no more was measured. */
function seconds(ms: number): number {
  return Math.round(ms * 1000) / 1e6;
}
