/**
 * OpenMetrics text, version 1.0.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/). Without timestamps: what takes a push
 * (Pushgateway, VictoriaMetrics) sets its own, and refuses ours. Of its types only those that the older Prometheus text has as
 * well, as which a Pushgateway reads it.
 */

import { harmless } from "./harmless.ts";

export type Labels = Readonly<Record<string, string>>;

export interface TextSample {
  /** What follows the family's name: `_total`, `_count`. */
  readonly suffix: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface TextFamily {
  /** Without the prefix that all have. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "summary";
  /** The end of the name, where it is one. */
  readonly unit?: string;
  readonly help: string;
  readonly samples: readonly TextSample[];
}

const PREFIX = "overload_bench";

/** Families without a sample are left out. */
export function openMetricsText(families: readonly TextFamily[]): string {
  return `${[...families.flatMap(familyLines), "# EOF"].join("\n")}\n`;
}

/** Of samples with the same labels, as names that are made harmless may have, the last one counts. */
function familyLines({ name, type, unit, help, samples }: TextFamily): string[] {
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

function labelSet(labels: Labels): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(harmless(value))}"`)
    .join(",")}}`;
}

/** ABNF `escaped-string`: backslash, quote and line feed are escaped. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
