/**
 * OpenMetrics text, version 1.0.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/). Without timestamps: what takes a push
 * (Pushgateway, VictoriaMetrics) sets its own, and refuses ours.
 */

import { harmless } from "../export/harmless.ts";
import { type Attributes, type Family, families, type PushSample, sampleAttributes } from "./metrics.ts";

export const OPENMETRICS_CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Units as the end of a name has them; a family of another unit has none. */
const UNIT_WORDS: Readonly<Record<string, string>> = {
  s: "seconds",
  "{call}/s": "calls_per_second",
  "{attempt}/s": "attempts_per_second",
};

export function renderOpenMetrics(sample: PushSample): string {
  const common = sampleAttributes(sample);
  const lines = families(sample).flatMap((family) => familyLines(family, common, sample.startMs));
  return `${[...lines, "# EOF"].join("\n")}\n`;
}

function familyLines({ name, help, unit, kind, points }: Family, common: Attributes, startMs: number): string[] {
  const word = UNIT_WORDS[unit];
  const family = `overload_bench_${name.replaceAll(".", "_")}${word === undefined ? "" : `_${word}`}`;
  return [
    // A Pushgateway reads this as the Prometheus text that it descends from, which knows no statesets.
    `# TYPE ${family} ${kind === "stateset" ? "gauge" : kind}`,
    ...(word === undefined ? [] : [`# UNIT ${family} ${word}`]),
    `# HELP ${family} ${escaped(help)}`,
    ...points.flatMap(({ attributes, value }) => {
      const labels = labelSet({ ...common, ...(kind === "stateset" ? stateLabel(family, attributes) : attributes) });
      return kind === "counter"
        ? [`${family}_total${labels} ${value}`, `${family}_created${labels} ${startMs / 1000}`]
        : [`${family}${labels} ${value}`];
    }),
  ];
}

/** The label of a state is called like its family. */
function stateLabel(family: string, attributes: Attributes): Attributes {
  return Object.fromEntries(Object.values(attributes).map((state) => [family, state]));
}

function labelSet(labels: Attributes): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(harmless(value))}"`)
    .join(",")}}`;
}

/** ABNF `escaped-string`: backslash, quote and line feed are escaped. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
