/**
 * Results in OpenMetrics text, version 1.0.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), without timestamps: a
 * sample for each trial, so that a file of it can be scraped from a folder or be pushed.
 */

import { cpuRejectRatio, fairness, OUTCOMES } from "../../figures/trial-figures.ts";
import type { LatencySummary, TrialResult } from "../../result/schema.ts";
import type { NamedResult } from "../html/page.ts";
import { harmless } from "./harmless.ts";

type Labels = Readonly<Record<string, string>>;

interface Sample {
  /** What follows the family's name: `_total`, `_count`. */
  readonly suffix: string;
  readonly labels: Labels;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "info" | "stateset" | "summary";
  /** The end of the name. */
  readonly unit?: string;
  readonly help: string;
  readonly samples: (trial: TrialResult) => readonly Sample[];
}

const PREFIX = "overload_bench";
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
    name: "trial",
    type: "info",
    help: "What was run.",
    samples: ({ policy, world, plan }) => [
      { suffix: "_info", labels: { policy: policy.name, world, plan: plan.hash, rate: plan.rate }, value: 1 },
    ],
  },
  {
    name: "verdict",
    type: "stateset",
    help: "What the generator says of its own measurement.",
    samples: ({ validity }) =>
      VERDICTS.map((verdict) => ({
        suffix: "",
        labels: { [`${PREFIX}_verdict`]: verdict },
        value: verdict === validity.verdict ? 1 : 0,
      })),
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
  gauge("offered_calls_per_second", "calls_per_second", "Offered load.", ({ rates }) => rates.offered),
  gauge("goodput_calls_per_second", "calls_per_second", "Calls that ended ok.", ({ rates }) => rates.goodput),
  gauge("sent_attempts_per_second", "attempts_per_second", "Attempts sent.", ({ rates }) => rates.sent),
  gauge("accepted_attempts_per_second", "attempts_per_second", "Attempts accepted.", ({ rates }) => rates.accepted),
  gauge("amplification_ratio", "ratio", "Attempts sent per planned call.", ({ amplification }) => amplification),
  gauge("waste_ratio", "ratio", "Share of the attempts sent that was not accepted.", ({ waste }) => waste),
  gauge("fairness_ratio", "ratio", "Jain's index of ok calls over the users.", fairness),
  {
    name: "response_seconds",
    type: "summary",
    unit: "seconds",
    help: "From a call's intended time to its end, by its outcome.",
    samples: ({ latency }) => Object.entries(latency.response).flatMap(([outcome, of]) => summary({ outcome }, of)),
  },
  {
    name: "service_seconds",
    type: "summary",
    unit: "seconds",
    help: "From sending an attempt to its end, by its class.",
    samples: ({ latency }) => Object.entries(latency.service).flatMap(([kind, of]) => summary({ class: kind }, of)),
  },
  {
    name: "wait_seconds",
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
];

export function renderOpenMetrics(results: readonly NamedResult[]): string {
  const several = results.length > 1;
  const trials = results.flatMap(({ name, result }) =>
    result.trials.map((trial) => ({
      trial,
      labels: { ...(several ? { result: name } : {}), arm: trial.arm, trial: String(trial.pair + 1) },
    })),
  );
  const lines = FAMILIES.flatMap((family) =>
    familyLines(
      family,
      trials.flatMap(({ trial, labels }) =>
        family.samples(trial).map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } })),
      ),
    ),
  );
  return `${[...lines, ...assertionLines(results, several), "# EOF"].join("\n")}\n`;
}

function assertionLines(results: readonly NamedResult[], several: boolean): string[] {
  const samples = results.flatMap(({ name, result }) =>
    (result.assertions ?? []).map(({ text, arm, holds }) => ({
      suffix: "",
      labels: { ...(several ? { result: name } : {}), assertion: text, ...(arm === "" ? {} : { arm }) },
      value: holds ? 1 : 0,
    })),
  );
  return familyLines({ name: "assertion_holds", type: "gauge", help: "1 where an assertion holds." }, samples);
}

function familyLines({ name, type, unit, help }: Omit<Family, "samples">, samples: readonly Sample[]): string[] {
  const unique = new Map(samples.map((sample) => [sample.suffix + labelSet(sample.labels), sample.value]));
  if (unique.size === 0) return [];
  const family = `${PREFIX}_${name}`;
  return [
    `# TYPE ${family} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${family} ${unit}`]),
    `# HELP ${family} ${escaped(help)}`,
    ...[...unique].map(([rest, value]) => `${family}${rest} ${value}`),
  ];
}

function gauge(name: string, unit: string, help: string, figure: (trial: TrialResult) => number | undefined): Family {
  const samples = (trial: TrialResult): readonly Sample[] => {
    const value = figure(trial);
    return value === undefined ? [] : [{ suffix: "", labels: {}, value }];
  };
  return { name, type: "gauge", unit, help, samples };
}

function summary(labels: Labels, latency: LatencySummary | undefined): Sample[] {
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

function labelSet(labels: Labels): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(harmless(value))}"`)
    .join(",")}}`;
}

/** ABNF `escaped-string`: backslash, quote and line feed are escaped. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
