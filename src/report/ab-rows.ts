/** The rows of a comparison: what each shows of a trial, and how. */

import { exact, type Figure, latencyFigure } from "../figures/figure.ts";
import { formatCount, formatNumber, formatPercent } from "../figures/number-format.ts";
import {
  cpuRejectRatio,
  fairness,
  OUTCOME_TEXT,
  OUTCOMES,
  outcomeShare,
  targetBusyRatio,
} from "../figures/trial-figures.ts";
import type { TrialResult } from "../result/schema.ts";

/** A row with one figure per arm. */
export interface FigureRow {
  readonly label: string;
  readonly figure: (trial: TrialResult) => Figure | undefined;
  readonly format: (value: number) => string;
  /** Whether "so many times the baseline's" says something about it. */
  readonly comparable: boolean;
  /** Shown even where every arm has zero or nothing. */
  readonly always: boolean;
}

/** Rows under a common head. */
export interface RowGroup {
  readonly title: string;
  readonly rows: readonly FigureRow[];
}

function row(
  label: string,
  value: (trial: TrialResult) => number | undefined,
  format: (value: number) => string,
  comparable: boolean,
  always = false,
): FigureRow {
  const figure = (trial: TrialResult): Figure | undefined => {
    const known = value(trial);
    return known === undefined ? undefined : exact(known);
  };
  return { label, figure, format, comparable, always };
}

function latencyRow(label: string, figure: FigureRow["figure"]): FigureRow {
  return { label, figure, format: formatNumber, comparable: true, always: false };
}

/** All rows in order. */
export const ROW_GROUPS: readonly RowGroup[] = [
  {
    title: "Calls",
    rows: [
      row("offered, per s", (trial) => trial.rates.offered, formatNumber, true),
      row("goodput, per s", (trial) => trial.rates.goodput, formatNumber, true, true),
      ...OUTCOMES.map((outcome) =>
        row(OUTCOME_TEXT[outcome], (trial) => outcomeShare(trial, outcome), formatPercent, false, outcome === "ok"),
      ),
    ],
  },
  {
    title: "Attempts",
    rows: [
      row("sent, per s", (trial) => trial.rates.sent, formatNumber, true),
      row("amplification, sent per call", (trial) => trial.amplification, formatNumber, true),
      row("waste, sent but not accepted", (trial) => trial.waste, formatPercent, true),
    ],
  },
  {
    title: "Target CPU",
    rows: [
      row("busy, share of a core", targetBusyRatio, formatPercent, false),
      row("spent on rejections", cpuRejectRatio, formatPercent, true),
    ],
  },
  {
    title: "Latency, ms",
    rows: [
      latencyRow("p50 response, ok calls", (trial) => latencyFigure(trial.latency.response.ok, "p50Ms")),
      latencyRow("p50 service, accepted attempts", (trial) => latencyFigure(trial.latency.service.accepted, "p50Ms")),
      latencyRow("p99 response, ok calls", (trial) => latencyFigure(trial.latency.response.ok, "p99Ms")),
      latencyRow("p99 service, accepted attempts", (trial) => latencyFigure(trial.latency.service.accepted, "p99Ms")),
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
      row("fairness between users (Jain)", fairness, formatNumber, false),
      {
        ...latencyRow("p99 lateness, ms", (trial) => latencyFigure(trial.latency.lateness, "p99Ms")),
        comparable: false,
      },
      row("connections opened", (trial) => trial.connections?.opened, formatCount, false),
    ],
  },
];
