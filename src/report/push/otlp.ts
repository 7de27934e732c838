/**
 * OTLP/HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp, ExportMetricsServiceRequest): field names in lower
 * camel case, enumerations as numbers, 64-bit integers as decimal strings.
 */

import { type Attributes, families, type PushSample, sampleAttributes } from "./metrics.ts";

export const OTLP_CONTENT_TYPE = "application/json";

/** AGGREGATION_TEMPORALITY_CUMULATIVE of opentelemetry/proto/metrics/v1/metrics.proto. */
const CUMULATIVE = 2;

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

interface NumberDataPoint {
  readonly attributes: readonly KeyValue[];
  readonly startTimeUnixNano?: string;
  readonly timeUnixNano: string;
  readonly asInt?: string;
  readonly asDouble?: number;
}

export function renderOtlp(sample: PushSample): string {
  const { tool } = sample;
  const common = sampleAttributes(sample);
  const metrics = families(sample).map(({ name, help, unit, kind, points }) => {
    const dataPoints = points.map(
      ({ attributes, value }): NumberDataPoint => ({
        attributes: keyValues({ ...common, ...attributes }),
        ...(kind === "counter" ? { startTimeUnixNano: unixNano(sample.startMs) } : {}),
        timeUnixNano: unixNano(sample.atMs),
        ...(kind === "counter" ? { asInt: String(value) } : { asDouble: value }),
      }),
    );
    return {
      name: `overload_bench.${name}`,
      description: help,
      unit,
      ...(kind === "counter"
        ? { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }
        : { gauge: { dataPoints } }),
    };
  });
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: keyValues({ "service.name": tool.name, "service.version": tool.version }) },
        scopeMetrics: [{ scope: { name: tool.name, version: tool.version }, metrics }],
      },
    ],
  });
}

function keyValues(attributes: Attributes): KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } }));
}

/** Exact: nanoseconds of today are beyond what a double holds. */
function unixNano(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}
