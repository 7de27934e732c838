/** The metrics that comparisons know: what each reads off a trial, how two of them are set against each other, and which is better. */

import type { TrialResult } from "../result/schema.ts";
import { exact, type Figure, latencyFigure } from "./figure.ts";
import { formatMs, formatNumber, formatPercent, formatRate, formatSeconds, NONE } from "./number-format.ts";
import { cpuRejectRatio, fairness, outcomeShare } from "./trial-figures.ts";

/** Rates and latencies are compared by ratio; shares, which have a zero that means something, by difference. */
export type Effect = "ratio" | "difference";

/** What a metric is measured in. */
export type MetricUnit = "perSecond" | "ms" | "seconds" | "share" | "plain";

export interface Metric {
  /** Stable: result files, flags and assertions name metrics by it. */
  readonly key: MetricKey;
  /** As it stands in a table, its unit included. At most {@link LABEL_WIDTH_MAX} columns. */
  readonly label: string;
  /** As it stands in a sentence. */
  readonly name: string;
  readonly unit: MetricUnit;
  readonly effect: Effect;
  readonly better: "higher" | "lower";
  /** Undefined where the trial has no such figure, as the p99 of ok calls where none was ok. */
  readonly figure: (trial: TrialResult) => Figure | undefined;
}

/** Tables of metrics rely on it to keep within a page. */
export const LABEL_WIDTH_MAX = 22;

export const METRIC_KEYS = [
  "goodput",
  "okShare",
  "responseOkP50Ms",
  "responseOkP99Ms",
  "responseOkP999Ms",
  "serviceAcceptedP99Ms",
  "amplification",
  "waste",
  "sent",
  "cpuRejectRatio",
  "fairness",
  "recoverySeconds",
] as const;

export type MetricKey = (typeof METRIC_KEYS)[number];

type Facts = Omit<Metric, "key" | "figure"> & { readonly figure: (trial: TrialResult) => Figure | number | undefined };

const FACTS: Readonly<Record<MetricKey, Facts>> = {
  goodput: {
    label: "goodput, per s",
    name: "goodput",
    unit: "perSecond",
    effect: "ratio",
    better: "higher",
    figure: (trial) => trial.rates.goodput,
  },
  okShare: {
    label: "ok, share of calls",
    name: "share of calls ok",
    unit: "share",
    effect: "difference",
    better: "higher",
    figure: (trial) => outcomeShare(trial, "ok"),
  },
  responseOkP50Ms: {
    label: "p50 response ok, ms",
    name: "p50 response of ok calls",
    unit: "ms",
    effect: "ratio",
    better: "lower",
    figure: (trial) => latencyFigure(trial.latency.response.ok, "p50Ms"),
  },
  responseOkP99Ms: {
    label: "p99 response ok, ms",
    name: "p99 response of ok calls",
    unit: "ms",
    effect: "ratio",
    better: "lower",
    figure: (trial) => latencyFigure(trial.latency.response.ok, "p99Ms"),
  },
  responseOkP999Ms: {
    label: "p99.9 response ok, ms",
    name: "p99.9 response of ok calls",
    unit: "ms",
    effect: "ratio",
    better: "lower",
    figure: (trial) => latencyFigure(trial.latency.response.ok, "p999Ms"),
  },
  serviceAcceptedP99Ms: {
    label: "p99 service, ms",
    name: "p99 service of accepted attempts",
    unit: "ms",
    effect: "ratio",
    better: "lower",
    figure: (trial) => latencyFigure(trial.latency.service.accepted, "p99Ms"),
  },
  amplification: {
    label: "amplification",
    name: "amplification",
    unit: "plain",
    effect: "ratio",
    better: "lower",
    figure: (trial) => trial.amplification,
  },
  waste: {
    label: "waste, share of sent",
    name: "waste",
    unit: "share",
    effect: "difference",
    better: "lower",
    figure: (trial) => trial.waste,
  },
  sent: {
    label: "sent, per s",
    name: "attempts sent",
    unit: "perSecond",
    effect: "ratio",
    better: "lower",
    figure: (trial) => trial.rates.sent,
  },
  cpuRejectRatio: {
    label: "CPU on rejections",
    name: "target CPU spent on rejections",
    unit: "share",
    effect: "difference",
    better: "lower",
    figure: cpuRejectRatio,
  },
  fairness: {
    label: "fairness (Jain)",
    name: "fairness between users",
    unit: "plain",
    effect: "difference",
    better: "higher",
    figure: fairness,
  },
  // By ratio, as other times are: where the system is back at once there is no ratio, but a test all the same.
  recoverySeconds: {
    label: "back after, s",
    name: "time to recover",
    unit: "seconds",
    effect: "ratio",
    better: "lower",
    figure: ({ recovery }) =>
      recovery === undefined
        ? undefined
        : { value: recovery.seconds ?? recovery.horizonSeconds, lowerBound: recovery.seconds === null },
  },
};

/** All of them, goodput first, in the order in which tables list them. */
export const METRICS: readonly Metric[] = METRIC_KEYS.map((key) => {
  const { figure, ...facts } = FACTS[key];
  return {
    key,
    ...facts,
    figure(trial) {
      const value = figure(trial);
      return typeof value === "number" ? exact(value) : value;
    },
  };
});

/** @throws RangeError for a key that no metric has. */
export function metricOf(key: string): Metric {
  const metric = METRICS.find((candidate) => candidate.key === key);
  if (metric !== undefined) return metric;
  throw new RangeError(`must be a metric, one of ${METRIC_KEYS.join(", ")}: current value is "${key}"`);
}

/** A value of the metric, in a table whose label has the unit. */
export function formatMetric(metric: Pick<Metric, "unit">, value: number | null): string {
  if (value === null) return NONE;
  return metric.unit === "share" ? formatPercent(value) : formatNumber(value);
}

/** A value of the metric in a sentence, with its unit. */
export function formatMeasured({ unit }: Pick<Metric, "unit">, value: number | null): string {
  if (value === null) return "nothing measured";
  switch (unit) {
    case "perSecond":
      return formatRate(value);
    case "ms":
      return formatMs(value);
    case "seconds":
      return formatSeconds(value);
    case "share":
      return formatPercent(value);
    case "plain":
      return formatNumber(value);
    default:
      return unit satisfies never;
  }
}

/** An effect or a bound of one: `17.7x`; `-50 pp` between shares, in percentage points; `+0.16`. */
export function formatEffect(metric: Pick<Metric, "unit" | "effect">, value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  if (metric.effect === "ratio") return `${formatRatioNumber(value)}x`;
  return metric.unit === "share" ? `${signed(value * 100)} pp` : signed(value);
}

/** A range of effects, the unit told once: `16.9 to 18.6x`, `-52 to -48 pp`. `null` is no bound. */
export function formatEffectRange(
  metric: Pick<Metric, "unit" | "effect">,
  low: number | null,
  high: number | null,
): string {
  if (low === null && high === null) return NONE;
  if (low === null) return `up to ${formatEffect(metric, high)}`;
  if (high === null) return `from ${formatEffect(metric, low)}`;
  const first = formatEffect(metric, low).replace(/(?:x| pp)$/u, "");
  return `${first} to ${formatEffect(metric, high)}`;
}

/** Near 1 a ratio's third decimal counts: `0.994`, `1.012`. */
function formatRatioNumber(ratio: number): string {
  return ratio > 0.8 && ratio < 1.25 && Math.abs(ratio - 1) >= 0.0005 ? ratio.toFixed(3) : formatNumber(ratio);
}

function signed(value: number): string {
  const text = formatNumber(value);
  return value > 0 && !text.startsWith("<") ? `+${text}` : text;
}
