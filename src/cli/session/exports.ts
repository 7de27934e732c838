/** Reports of a result: the files that `--report` names, and what GitHub Actions shows. */

import { extname } from "node:path";
import { fileNames } from "../../comparison/file-names.ts";
import { githubAnnotations, githubSummary } from "../../report/export/github.ts";
import {
  formatNamed,
  formatOfFile,
  REPORT_FORMATS,
  type RenderOptions,
  type ReportFormat,
} from "../../report/formats.ts";
import type { NamedResult } from "../../report/named-result.ts";
import type { Result } from "../../result/schema.ts";
import { StoreError } from "../../result/store-error.ts";
import { CliError } from "../cli-error.ts";
import type { Add } from "../flags/add-option.ts";
import { type AssertFlags, addAssertOption, decodeLatencies } from "../flags/assert-options.ts";
import type { Host, Output } from "../host.ts";
import type { Services } from "../services.ts";

export interface ExportFlags extends AssertFlags {
  readonly report?: readonly string[];
  readonly github?: boolean;
}

const DEFAULT_HISTOGRAM = "response.ok";

/** What all commands have that make a result. */
export function addExportOptions(add: Add): void {
  addAssertOption(add);
  add(
    "--report <file>",
    `a report too, by the end of its name: ${endings()}; replaced where it exists; may be repeated`,
    reportFile,
    [],
  );
  addGithubOption(add);
}

export function addGithubOption(add: Add): void {
  add("--no-github", "no step summary and no annotations in GitHub Actions");
}

/** @throws RangeError */
function reportFile(text: string, before: readonly string[]): readonly string[] {
  if (formatOfFile(text) !== undefined) return [...before, text];
  throw new RangeError(`must end with one of ${endings()}: current value is "${text}"`);
}

export function endings(): string {
  return REPORT_FORMATS.map((format) => `.${format.name}`).join(" ");
}

/** @throws RangeError */
export function reportFormat(text: string): ReportFormat {
  const format = formatNamed(text);
  if (format !== undefined) return format;
  const names = REPORT_FORMATS.map(({ name }) => name).join(", ");
  throw new RangeError(`must be one of ${names}: current value is "${text}"`);
}

/**
 * Checks, before anything is measured, that no report is in the place of another, or of the result. @throws CliError
 *
 * @param output where the result is wanted, if anywhere; while it is not whole it has `.partial` in its name.
 */
export async function checkReports(
  { reports }: Services,
  { report = [] }: ExportFlags,
  output: string | undefined,
): Promise<void> {
  const taken = new Map<string, string>();
  for (const path of output === undefined ? [] : [output, withEnding(output, `.partial${extname(output)}`)]) {
    taken.set(await reports.placeOf(path), `the result, which goes to "${output}"`);
  }
  for (const path of report) {
    const place = await reports.placeOf(path);
    const other = taken.get(place);
    if (other !== undefined) {
      throw new CliError(`--report must be another file than ${other}: current value is "${path}"`);
    }
    taken.set(place, `the report "${path}"`);
  }
}

/** Checks, before anything is measured, that the reports can be written. @throws CliError */
export async function prepareReports({ reports }: Services, { report = [] }: ExportFlags): Promise<void> {
  for (const path of report) {
    try {
      await reports.prepare(path);
    } catch (error) {
      throw new CliError(`--report: ${faultOf(error)}`);
    }
  }
}

/** A result that is saved, and where. */
export interface SavedReport {
  readonly path: string;
  readonly result: Result;
  /** Whether a page beside the result belongs to it. */
  readonly page: boolean;
}

/**
 * Writes the reports of a result that is saved already. What cannot be written costs nothing measured: it is told in a line
 * each, with how to make it from the result.
 *
 * @param out where the paths are told.
 * @returns whether all were written.
 */
export async function deliverExports(
  host: Host,
  services: Services,
  { report = [], github = true }: ExportFlags,
  { path, result, page }: SavedReport,
  out: Output,
): Promise<boolean> {
  const named: NamedResult = { name: fileNames([path])[0] ?? path, result };
  const failures: string[] = [];
  for (const wanted of [...report, ...(page ? [withEnding(path, ".html")] : [])]) {
    try {
      const format = formatOfFile(wanted);
      if (format === undefined) continue;
      for (const place of await writeReport(services, format, wanted, [named])) out.write(`Report: ${place}\n`);
    } catch (error) {
      failures.push(
        `overload-bench: ${faultOf(error)}; the result is safe: overload-bench report ${path} -o ${wanted}\n`,
      );
    }
  }
  if (github) failures.push(...(await tellGithub(host, services, [named])));
  for (const failure of failures) host.stderr.write(failure);
  return failures.length === 0;
}

/**
 * In GitHub Actions: annotations on stderr, and the step summary.
 *
 * @returns what went wrong, one line each.
 */
export async function tellGithub(
  host: Host,
  services: Services,
  results: readonly NamedResult[],
): Promise<readonly string[]> {
  if (host.env.GITHUB_ACTIONS !== "true") return [];
  for (const { result } of results) host.stderr.write(githubAnnotations(result));
  const summary = host.env.GITHUB_STEP_SUMMARY ?? "";
  if (summary === "") return [];
  try {
    await services.reports.append(summary, githubSummary(results));
    return [];
  } catch (error) {
    return [`overload-bench: GITHUB_STEP_SUMMARY: ${faultOf(error)}\n`];
  }
}

/**
 * Writes one report, in as many files as it has parts.
 *
 * @returns their paths. @throws StoreError, also where a result is in the place.
 */
export async function writeReport(
  { reports }: Services,
  format: ReportFormat,
  path: string,
  results: readonly NamedResult[],
  options: Partial<RenderOptions> = {},
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { part, text } of await renderReport(format, results, options)) {
    const place = part === "" ? path : withPart(path, part);
    await reports.write(place, text);
    paths.push(place);
  }
  return paths;
}

/** @throws RangeError */
export async function renderReport(
  format: ReportFormat,
  results: readonly NamedResult[],
  { histogram = DEFAULT_HISTOGRAM, arm }: Partial<RenderOptions> = {},
): Promise<ReturnType<Awaited<ReturnType<ReportFormat["load"]>>>> {
  const render = await format.load();
  return render(results, { decode: decodeLatencies, histogram, arm });
}

function withEnding(path: string, ending: string): string {
  return path.slice(0, path.length - extname(path).length) + ending;
}

/** `out.hgrm` of the arm `on`: `out-on.hgrm`. */
function withPart(path: string, part: string): string {
  const stem = withEnding(path, "");
  return `${stem}-${part.replace(/[^\p{L}\p{N}._=-]+/gu, "_")}${path.slice(stem.length)}`;
}

/** What went wrong in one line. @throws what is no fault of the outside world */
export function faultOf(error: unknown): string {
  if (error instanceof StoreError || error instanceof RangeError) return error.message;
  throw error;
}
