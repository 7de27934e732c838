/** The conformance table in Markdown, for a README, and with every figure for those who want to check. */

import type { ArrivalRow } from "./arrival-row.ts";
import type { Cell, Seen } from "./cell.ts";
import { count, TOLERANCES, time } from "./judge.ts";
import { PATHOLOGIES } from "./pathologies.ts";
import type { Row } from "./rows.ts";
import { OVER_UNDICI } from "./tools/overload-bench.ts";
import type { Tool } from "./tools/tool.ts";

export interface Measured {
  readonly cells: readonly Cell[];
  readonly arrivals: readonly ArrivalRow[];
  /** The name of this tool. */
  readonly ours: string;
  readonly machine: string;
  readonly steal: string;
}

/** An evenly spaced process seen by a kernel that has other things to do. */
const EVEN_CV_MAX = 0.5;
const RIGHT = "✓";
const LEGEND = `${RIGHT}: what the tool reports is what the server saw. Else the worst of what it says, against what happened: the server's own counts and times, or theory.`;
const OUR_STALL_RATIO = 0.02;

/** What this tool has wrong and nothing explains, a line each. */
export function unexplained(cells: readonly Cell[], ours: string): readonly string[] {
  return cells.flatMap((cell) => {
    const { row, tool, seen } = cell;
    if (!tool.name.startsWith(ours) || seen === undefined || isExplained(cell)) return [];
    const faults = [...seen.faults, ...(stallIsOff(cell) ? [stallText(cell)] : [])];
    return faults.length === 0 ? [] : [`${tool.name} in ${row.name}: ${faults.join("; ")}`];
  });
}

function isExplained({ row, tool }: Pick<Cell, "row" | "tool">): boolean {
  return row.overUndici !== undefined && tool.name === OVER_UNDICI;
}

/** Stricter than the table, as nothing but the generator itself stands between it and the ideal. */
function stallIsOff({ row, seen }: Cell): boolean {
  const told = seen?.run.report?.p99Ms;
  const ideal = seen?.expected.latency.p99Ms?.ms;
  if (row.latency?.kind !== "stall" || told === undefined || ideal === undefined) return false;
  return Math.abs(told / ideal - 1) > OUR_STALL_RATIO;
}

/** `table`: for a README; `full`: the same, with all figures behind it. */
export function renderReport(measured: Measured): { readonly table: string; readonly full: string } {
  const table = [...mainTable(measured), "", ...notes(measured)].join("\n");
  const full = ["# Conformance", "", table, "", "## All figures", "", ...figures(measured.cells), ""].join("\n");
  return { table, full };
}

function mainTable({ cells, arrivals, ours }: Measured): string[] {
  const there = [...cells.filter(({ seen }) => seen !== undefined), ...arrivals.filter(({ cv }) => cv !== undefined)];
  const tools = namesOf(there, (name) => name === ours || name === OVER_UNDICI || !name.startsWith(ours));
  const lines = [["", ...tools]];
  for (const row of new Set(cells.map((cell) => cell.row))) {
    const cellOf = (tool: string): string => {
      const cell = cells.find((one) => one.row === row && one.tool.name === tool);
      return cell?.seen === undefined ? "" : cellText(cell, cell.seen);
    };
    lines.push([row.name, ...tools.map(cellOf)]);
  }
  if (arrivals.length > 0) {
    lines.push(["arrivals", ...tools.map((tool) => arrivalText(arrivals.find((one) => one.tool.name === tool)))]);
  }
  return markdown(lines);
}

function cellText(cell: Cell, { faults, run }: Seen): string {
  const refused = run.report?.verdict === "invalid" ? ", and calls itself invalid" : "";
  // Whoever ends the connections makes the server's own count agree with it.
  if (isExplained(cell)) return `${run.report?.failed ?? "all"} failed${refused}: see below`;
  if (faults.length === 0) return RIGHT;
  return `${faults[0]}${refused}`;
}

function arrivalText(row: ArrivalRow | undefined): string {
  if (row === undefined) return "";
  if (row.tool.loop === "closed") return "knows no rate";
  if (row.cv === undefined) return "";
  return row.cv <= EVEN_CV_MAX ? `${RIGHT} CV ${row.cv.toFixed(2)}` : `CV ${row.cv.toPrecision(2)}`;
}

function namesOf(
  all: readonly { readonly tool: Tool }[],
  wanted: (name: string) => boolean,
  loop?: Tool["loop"],
): string[] {
  const tools = all.map(({ tool }) => tool).filter((tool) => loop === undefined || tool.loop === loop);
  return [...new Set(tools.map(({ name }) => name))].filter(wanted);
}

function notes({ cells, arrivals, ours, machine, steal }: Measured): string[] {
  const rows = [...new Set(cells.map(({ row }) => row))];
  const lines = rows.map((row) => `- **${row.name}**: ${loadText(row)}; ${saysOf(row)}.`);
  if (arrivals.length > 0) {
    lines.push(
      `- **arrivals**: 1,000/s constant on 50 connections; coefficient of variation of the gaps between requests, 0 is even, right up to ${EVEN_CV_MAX}.`,
    );
  }
  for (const cell of cells) {
    if (isExplained(cell)) lines.push(`- ${cell.tool.name} in **${cell.row.name}**: ${cell.row.overUndici}.`);
  }
  for (const cell of cells) {
    if (cell.tool.name.startsWith(ours) && cell.row.latency?.kind === "stall") lines.push(`- ${stallText(cell)}`);
  }
  const missing = new Map(
    [...cells.filter(({ seen }) => seen === undefined)].map(({ tool }) => [tool.name, tool.source]),
  );
  for (const [name, source] of missing) lines.push(`- ${name} is not installed: ${source}.`);
  const closed = namesOf([...cells, ...arrivals], () => true, "closed");
  if (closed.length > 0) lines.push(`- ${closed.join(" and ")} know no rate: they send as soon as they are answered.`);
  return [LEGEND, "", ...lines, "", TOLERANCES, "", `${machine}; steal ${steal}`];
}

function loadText({ rps, seconds, timeoutSeconds }: Row): string {
  return `${rps}/s for ${seconds} s, time-out ${timeoutSeconds} s`;
}

function saysOf({ pathology, latency }: Row): string {
  const { says } = PATHOLOGIES[pathology];
  return latency?.kind === "stall"
    ? `${says}, but for a stop (SIGSTOP) of ${latency.forSeconds} s after ${latency.afterSeconds} s`
    : says;
}

function stallText({ tool, seen }: Cell): string {
  const told = seen?.run.report?.p99Ms;
  const ideal = seen?.expected.latency.p99Ms?.ms;
  if (told === undefined || ideal === undefined) return `The stall, ${tool.name}: not measured`;
  const off = 100 * (told / ideal - 1);
  return `The stall, ${tool.name}: p99 ${time(told)}, ideal ${time(ideal)} (${off >= 0 ? "+" : ""}${off.toFixed(1)} %)`;
}

function figures(cells: readonly Cell[]): string[] {
  const lines = [
    [
      ...[
        "row",
        "tool",
        "loop",
        "requests received",
        "answered 200",
        "told ok",
        "told failed",
        "told mean",
        "true mean",
      ],
      ...[
        "told p50",
        "true p50",
        "told p99",
        "true p99",
        "told max",
        "exit",
        "seconds",
        "own verdict",
        "what is wrong",
      ],
    ],
  ];
  for (const { row, tool, seen } of cells) {
    if (seen === undefined) continue;
    const { run, truth, expected, faults } = seen;
    const { report, end } = run;
    const { latency } = expected;
    lines.push([
      ...[row.name, tool.name, tool.loop, count(truth.requests), count(expected.ok)],
      ...[optional(report?.ok, count), optional(report?.failed, count)],
      ...[optional(report?.meanMs, time), optional(latency.meanMs?.ms, time)],
      ...[optional(report?.p50Ms, time), optional(latency.p50Ms?.ms, time)],
      ...[optional(report?.p99Ms, time), optional(latency.p99Ms?.ms, time)],
      optional(report?.maxMs, time),
      end.kind === "exit" ? String(end.code) : end.kind === "signal" ? end.name : "killed",
      run.tookSeconds.toFixed(1),
      report?.verdict ?? "",
      [...faults, ...(report === undefined && run.lastWords !== "" ? [run.lastWords] : [])].join("; "),
    ]);
  }
  return markdown(lines);
}

function optional<T>(value: T | undefined, text: (value: T) => string): string {
  return value === undefined ? "" : text(value);
}

function markdown([head = [], ...body]: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)];
}
