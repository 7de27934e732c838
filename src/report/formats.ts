/** The formats of a report: which file gets which, and how each is made. */

import { renderAssertions } from "./assertions-text.ts";
import { displayWidth } from "./display-width.ts";
import type { DecodeLatencies, ExportedText } from "./export/export-input.ts";
import type { NamedResult } from "./named-result.ts";

export interface RenderOptions {
  readonly decode: DecodeLatencies;
  /** Which latency distribution, for a format that holds one: `response.ok`. */
  readonly histogram: string;
  /** Only this arm, for a format that holds one. */
  readonly arm: string | undefined;
}

/** Makes the texts of a report: one, or one for each of its parts. @throws RangeError when the results have no such part. */
export type RenderReport = (results: readonly NamedResult[], options: RenderOptions) => readonly ExportedText[];

export interface ReportFormat {
  readonly name: string;
  /** How the names of its files end. */
  readonly endings: readonly string[];
  readonly text: string;
  /** Loads what it takes: the page and its plots are of no use to a run without a report. */
  readonly load: () => Promise<RenderReport>;
}

/** Longer endings before the shorter ones that they end with. */
export const REPORT_FORMATS: readonly ReportFormat[] = [
  {
    name: "html",
    endings: [".html", ".htm"],
    text: "one page with everything, to look at and to print",
    load: async () => {
      const { renderHtml } = await import("./html/page.ts");
      return (results, { decode }) => whole(renderHtml(results, { decode }));
    },
  },
  {
    name: "md",
    endings: [".md", ".markdown"],
    text: "Markdown as GitHub renders it",
    load: async () => {
      const { renderMarkdown } = await import("./export/markdown.ts");
      return (results) => whole(renderMarkdown(results));
    },
  },
  {
    name: "series.csv",
    endings: [".series.csv"],
    text: "CSV, a row for each second of each trial",
    load: async () => {
      const { renderSeriesCsv } = await import("./export/csv.ts");
      return (results) => whole(renderSeriesCsv(results));
    },
  },
  {
    name: "csv",
    endings: [".csv"],
    text: "CSV, a row for each trial",
    load: async () => {
      const { renderCsv } = await import("./export/csv.ts");
      return (results) => whole(renderCsv(results));
    },
  },
  {
    name: "junit.xml",
    endings: [".junit.xml", ".xml"],
    text: "JUnit XML: a case for each trial's validity and each assertion",
    load: async () => {
      const { renderJunit } = await import("./export/junit.ts");
      return (results) => whole(renderJunit(results));
    },
  },
  {
    name: "om",
    endings: [".om", ".prom"],
    text: "OpenMetrics text",
    load: async () => {
      const { renderOpenMetrics } = await import("./export/openmetrics.ts");
      return (results) => whole(renderOpenMetrics(results));
    },
  },
  {
    name: "hgrm",
    endings: [".hgrm"],
    text: "the percentiles of one latency distribution, for HdrHistogram's plotters; a file for each arm",
    load: async () => {
      const { hgrmTexts } = await import("./export/hgrm-texts.ts");
      return hgrmTexts;
    },
  },
  {
    name: "hlog",
    endings: [".hlog"],
    text: "an HdrHistogram log: all latency distributions of all trials, tagged",
    load: async () => {
      const { renderHlog } = await import("./export/hlog.ts");
      return (results) => whole(renderHlog(results));
    },
  },
  {
    name: "txt",
    endings: [".txt"],
    text: "the text that the command prints",
    load: async () => {
      const { renderResult } = await import("./result-text.ts");
      return (results) => whole(results.map((each) => textOf(each, renderResult, results.length > 1)).join("\n"));
    },
  },
];

/** The format of a file by its name; undefined when it tells none. */
export function formatOfFile(path: string): ReportFormat | undefined {
  const name = path.toLowerCase();
  return REPORT_FORMATS.find(({ endings }) => endings.some((ending) => name.endsWith(ending)));
}

/** The format of that name. */
export function formatNamed(name: string): ReportFormat | undefined {
  return REPORT_FORMATS.find((format) => format.name === name || format.endings.includes(`.${name}`));
}

function whole(text: string): readonly ExportedText[] {
  return [{ part: "", text }];
}

function textOf(
  { name, result }: NamedResult,
  render: (result: NamedResult["result"]) => string,
  several: boolean,
): string {
  const head = several ? `${name}\n${"=".repeat(displayWidth(name))}\n\n` : "";
  return head + render(result) + renderAssertions(result.assertions ?? []);
}
