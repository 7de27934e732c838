/** The limits of a sweep that can be drawn: those that set one of its figures against a number. */

import { METRIC_KEYS, type MetricKey } from "../../figures/metrics.ts";
import type { Expression } from "../../gate/assertion.ts";
import { parseAssertion } from "../../gate/parse.ts";
import { BARE, convert, SECONDS, SHARE, type Unit } from "../../gate/unit.ts";

export interface DrawnLimit {
  readonly metric: MetricKey;
  /** In the unit of the metric. */
  readonly value: number;
}

/** The paths of the figures that metrics are, as far as a metric is a figure of the file. */
const PATHS: Readonly<Partial<Record<MetricKey, string>>> = {
  goodput: "rates.goodput",
  sent: "rates.sent",
  amplification: "amplification",
  waste: "waste",
  cpuRejectRatio: "target.cpuRejectRatio",
  fairness: "users.jain",
  responseOkP50Ms: "latency.response.ok.p50Ms",
  responseOkP99Ms: "latency.response.ok.p99Ms",
  responseOkP999Ms: "latency.response.ok.p999Ms",
  serviceAcceptedP99Ms: "latency.service.accepted.p99Ms",
};

/** @returns undefined for a limit that is no line, as `goodput>=0.9*offered`. */
export function drawnLimit(text: string): DrawnLimit | undefined {
  const sides = sidesOf(text);
  if (sides === undefined) return undefined;
  const [left, right] = sides;
  return limitOf(left, right) ?? limitOf(right, left);
}

function sidesOf(text: string): readonly [Expression, Expression] | undefined {
  try {
    const { left, right } = parseAssertion(text);
    return [left, right];
  } catch {
    // Of a newer version; it stands in words beside the plots.
    return undefined;
  }
}

function limitOf(figure: Expression, bound: Expression): DrawnLimit | undefined {
  if (figure.kind !== "figure" || figure.arm !== undefined) return undefined;
  const { path, unit } = figure.figure;
  const metric = METRIC_KEYS.find((key) => PATHS[key] === path.join("."));
  const literal = literalOf(bound);
  if (metric === undefined || literal === undefined) return undefined;
  return { metric, value: convert(literal.value, literal.unit, unit) };
}

function literalOf(expression: Expression): { readonly value: number; readonly unit: Unit } | undefined {
  switch (expression.kind) {
    case "number":
      return { value: expression.value, unit: BARE };
    case "percent":
      return { value: expression.value / 100, unit: SHARE };
    case "duration":
      return { value: expression.seconds, unit: SECONDS };
    case "figure":
    case "negate":
    case "binary":
    case "fold":
      return undefined;
    default:
      return expression satisfies never;
  }
}
