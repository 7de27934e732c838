/** What was found, in text for a terminal and in Markdown. */

import { displayWidth } from "../../src/report/display-width.ts";
import { renderTable } from "../../src/report/table.ts";
import type { ExperimentReport, ReportedFinding, ValidationReport } from "./report.ts";

const COLUMNS = ["what", "prediction", "measured", "band", "trials", "verdict"];

/** The table of one experiment. */
export function renderText(experiment: ExperimentReport): string {
  const { findings, error } = experiment;
  const lines = error === undefined ? renderTable([COLUMNS, ...findings.map(cellsOf)]) : [`FAILED: ${error}`];
  return [heading(experiment), ...lines.map((line) => `  ${line}`), ""].join("\n");
}

/** All of it. */
export function renderMarkdown(report: ValidationReport): string {
  const sections = report.experiments.flatMap((experiment) => {
    const { findings, error } = experiment;
    const table = error === undefined ? markdownTable([COLUMNS, ...findings.map(cellsOf)]) : [`FAILED: ${error}`];
    return [`## ${heading(experiment)}`, "", ...table, ""];
  });
  return ["# Validation", "", conditions(report), "", ...sections].join("\n");
}

/** One table of all experiments, for the document of this folder. */
export function renderDocument(report: ValidationReport): string {
  const rows = report.experiments.flatMap(({ id, derivation, world, findings, error }) => {
    const link = `[${id}](#${derivation.toLowerCase()})`;
    const name = world === "virtual" ? link : `${link}, real`;
    if (error !== undefined) return [[name, `FAILED: ${error}`]];
    return findings.map((finding) => [name, ...cellsOf(finding)]);
  });
  return [...markdownTable([["", ...COLUMNS], ...rows]), "", conditions(report)].join("\n");
}

/** A finding that does not agree, in one line. */
export function renderFinding(finding: ReportedFinding): string {
  const [what, prediction, measured, band, trials] = cellsOf(finding);
  return `${what}: predicted ${prediction}, measured ${measured}, which is not in ${band} (${trials} trials)`;
}

function heading({ id, title, world, seconds }: ExperimentReport): string {
  return `${id} ${title} (${world}, ${seconds.toFixed(1)} s)`;
}

function cellsOf(finding: ReportedFinding): string[] {
  const { what, prediction, measured, band, unit = "", trials, agrees } = finding;
  const [least, most] = band;
  return [
    what,
    typeof prediction === "string" ? prediction : figure(prediction, unit),
    figure(measured, unit),
    bandText(least, most),
    String(trials),
    agrees ? "agrees" : "DISAGREES",
  ];
}

function bandText(least: number | null, most: number | null): string {
  if (least === null) return most === null ? "never" : `<= ${short(most)}`;
  return most === null ? `>= ${short(least)}` : `${short(least)} .. ${short(most)}`;
}

function figure(value: number | null, unit: string): string {
  if (value === null) return "never";
  if (unit === "") return short(value);
  return unit.startsWith("/") ? `${short(value)}${unit}` : `${short(value)} ${unit}`;
}

/** Four digits that count, without zeros at the end; thousands whole. */
function short(value: number): string {
  if (Math.abs(value) >= 1000) return value.toFixed(0);
  return String(Number(value.toPrecision(Math.abs(value) < 0.01 ? 2 : 4)));
}

function conditions(report: ValidationReport): string {
  const { tool, environment, seconds, quick, partial, seeds, manySeeds, startedAt } = report;
  const { runtime, runtimeVersion, platform, arch, cpus, cpuModel } = environment;
  const kind = `${partial ? "cut short, " : ""}${quick ? "a quick look, " : ""}`;
  const where = `${runtime} ${runtimeVersion}, ${platform} ${arch}, ${cpus} x ${cpuModel}`;
  return `${tool.name} ${tool.version}, ${startedAt.slice(0, 10)}, ${kind}${seconds.toFixed(0)} s in all on ${where}. In simulation: medians over ${seeds.length} seeds, shares over ${manySeeds.length}.`;
}

/** As the formatter of this project wants it: all cells of a column equally wide. */
function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const [head = []] = escaped;
  const widths = head.map((_, column) => Math.max(3, ...escaped.map((row) => displayWidth(row[column] ?? ""))));
  const line = (cells: readonly string[], filler: string): string =>
    `| ${widths.map((width, column) => padded(cells[column] ?? "", width, filler)).join(" | ")} |`;
  const [first = "", ...others] = escaped.map((row) => line(row, " "));
  return [first, line([], "-"), ...others];
}

function padded(cell: string, width: number, filler: string): string {
  return cell + filler.repeat(width - displayWidth(cell));
}
