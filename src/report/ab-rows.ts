/** The rows of a comparison: what each shows of a trial, and how. */

import { exact, type Figure, latencyFigure } from "../figures/figure.ts";
import { type Effect, type MetricKey, metricOf } from "../figures/metrics.ts";
import { formatCount, formatNumber, formatPercent } from "../figures/number-format.ts";
import { OUTCOME_TEXT, OUTCOMES, outcomeShare, targetBusyRatio } from "../figures/trial-figures.ts";
import type { TrialResult } from "../result/schema.ts";

/** A row with one figure per arm. */
export interface FigureRow {
  readonly label: string;
  readonly figure: (trial: TrialResult) => Figure | undefined;
  readonly format: (value: number) => string;
  /** The metric that comparisons know it by, with its interval. */
  readonly metric?: MetricKey;
  /** How an arm is set against the baseline; undefined where that says nothing about it. */
  readonly effect?: Effect;
  /** Shown even where every arm has zero or nothing. */
  readonly always?: boolean;
}

/** Rows under a common head. */
export interface RowGroup {
  readonly title: string;
  readonly rows: readonly FigureRow[];
}

/** A row that comparisons know. */
function known(metric: MetricKey, label: string, always = false): FigureRow {
  const { figure, effect, unit } = metricOf(metric);
  return { label, figure, format: unit === "share" ? formatPercent : formatNumber, metric, effect, always };
}

function row(
  label: string,
  value: (trial: TrialResult) => number | undefined,
  format: (value: number) => string,
): FigureRow {
  const figure = (trial: TrialResult): Figure | undefined => {
    const measured = value(trial);
    return measured === undefined ? undefined : exact(measured);
  };
  return { label, figure, format };
}

function latencyRow(label: string, figure: FigureRow["figure"]): FigureRow {
  return { label, figure, format: formatNumber, effect: "ratio" };
}

/** All rows in order. */
export const ROW_GROUPS: readonly RowGroup[] = [
  {
    title: "Calls",
    rows: [
      { ...row("offered, per s", (trial) => trial.rates.offered, formatNumber), effect: "ratio" },
      known("goodput", "goodput, per s", true),
      ...OUTCOMES.map((outcome) =>
        outcome === "ok"
          ? known("okShare", OUTCOME_TEXT.ok, true)
          : row(OUTCOME_TEXT[outcome], (trial) => outcomeShare(trial, outcome), formatPercent),
      ),
    ],
  },
  {
    title: "Attempts",
    rows: [
      known("sent", "sent, per s"),
      known("amplification", "amplification, sent per call"),
      known("waste", "waste, sent but not accepted"),
    ],
  },
  {
    title: "Target CPU",
    rows: [
      row("busy, share of a core", targetBusyRatio, formatPercent),
      known("cpuRejectRatio", "spent on rejections"),
    ],
  },
  {
    title: "Latency, ms",
    rows: [
      known("responseOkP50Ms", "p50 response, ok calls"),
      latencyRow("p50 service, accepted attempts", (trial) => latencyFigure(trial.latency.service.accepted, "p50Ms")),
      known("responseOkP99Ms", "p99 response, ok calls"),
      known("serviceAcceptedP99Ms", "p99 service, accepted attempts"),
      known("responseOkP999Ms", "p99.9 response, ok calls"),
      latencyRow("max response, ok calls", (trial) => latencyFigure(trial.latency.response.ok, "maxMs")),
      latencyRow("p99 response, failed calls", (trial) => latencyFigure(trial.latency.response.failed, "p99Ms")),
      latencyRow("p99 service, overloaded attempts", (trial) =>
        latencyFigure(trial.latency.service.overloaded, "p99Ms"),
      ),
    ],
  },
  {
    title: "Quality",
    rows: [
      known("fairness", "fairness between users (Jain)"),
      {
        label: "p99 lateness, ms",
        figure: (trial) => latencyFigure(trial.latency.lateness, "p99Ms"),
        format: formatNumber,
      },
      row("connections opened", (trial) => trial.connections?.opened, formatCount),
    ],
  },
];
