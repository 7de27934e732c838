/** `report`: a report of result files, in the format that its file's name tells. */

import type { Command } from "commander";
import { formatOfFile, REPORT_FORMATS, type RenderOptions, type ReportFormat } from "../../report/formats.ts";
import type { NamedResult } from "../../report/named-result.ts";
import { StoreError } from "../../result/store-error.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { adderFor } from "../flags/add-option.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { endings, faultOf, renderReport, reportFormat, writeReport } from "../session/exports.ts";
import { readResults } from "./result-files.ts";

interface ReportFlags {
  readonly output: readonly string[];
  readonly format?: ReportFormat;
  readonly histogram?: string;
  readonly arm?: string;
}

const STDOUT = "-";

const NOTES = `
Formats:
${REPORT_FORMATS.map(({ name, text }) => `  ${name.padEnd(11)} ${text}`).join("\n")}

A report that exists is replaced: it can be made again, a result cannot, and no result file is ever written to.`;

export function addReportCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("report")
    .description("a report of result files: a page, Markdown, CSV, JUnit, OpenMetrics, HdrHistogram")
    .argument("<files...>", "result files");
  const add = adderFor(command);
  add(
    "-o, --output <file>",
    `the report, its format by the end of its name; - for stdout; may be repeated: ${endings()}`,
    (text: string, before: readonly string[]) => [...before, text],
    [],
  );
  add("--format <name>", "the format, whatever the file is called; without -o the report goes to stdout", reportFormat);
  add("--histogram <name>", "which latency distribution a .hgrm holds (default: response.ok)", (text: string) => text);
  add("--arm <name>", "of this arm alone, in a .hgrm; without it there is a file for each arm", (text: string) => text);
  command.addHelpText("after", NOTES).action(async (files: string[], flags: ReportFlags) => {
    finish(await runReportCommand(host, services, files, flags));
  });
}

/** What can be written is, whatever becomes of the rest. @throws CliError */
async function runReportCommand(
  host: Host,
  services: Services,
  files: readonly string[],
  flags: ReportFlags,
): Promise<ExitCode> {
  const wanted = wantedOf(flags);
  checkOfDistributions(flags, wanted);
  await checkPlaces(services, wanted);
  const results = await readResults(host, "report", files);
  const codes: ExitCode[] = [];
  for (const each of wanted) codes.push(await delivered(host, services, each, results, flags));
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

interface WantedReport {
  readonly path: string;
  readonly format: ReportFormat;
}

const WORST_FIRST: readonly ExitCode[] = [EXIT.usage, EXIT.failed];

/** One report, or one line on stderr of why there is none. */
async function delivered(
  host: Host,
  services: Services,
  { path, format }: WantedReport,
  results: readonly NamedResult[],
  { histogram, arm }: ReportFlags,
): Promise<ExitCode> {
  const options = { ...(histogram === undefined ? {} : { histogram }), ...(arm === undefined ? {} : { arm }) };
  let isWriting = false;
  try {
    if (path === STDOUT) {
      host.stdout.write(await oneText(format, results, options));
      return EXIT.ok;
    }
    await services.reports.prepare(path);
    isWriting = true;
    for (const place of await writeReport(services, format, path, results, options)) {
      host.stderr.write(`Report: ${place}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    const fault = faultOf(error);
    const named = fault.includes(`'${path}'`) ? fault : `${path === STDOUT ? "stdout" : path}: ${fault}`;
    host.stderr.write(`overload-bench: ${named}\n`);
    return isWriting && error instanceof StoreError ? EXIT.failed : EXIT.usage;
  }
}

/** @throws CliError for flags that no report would go by. */
function checkOfDistributions({ histogram, arm }: ReportFlags, wanted: readonly WantedReport[]): void {
  const flag = histogram !== undefined ? "--histogram" : arm !== undefined ? "--arm" : undefined;
  if (flag === undefined || wanted.some(({ format }) => format.name === "hgrm")) return;
  throw new CliError(`${flag} is for a .hgrm, and none is asked for`);
}

/** @throws CliError for a file that is named twice. */
async function checkPlaces({ reports }: Services, wanted: readonly WantedReport[]): Promise<void> {
  const taken = new Set<string>();
  for (const { path } of wanted) {
    const place = path === STDOUT ? STDOUT : await reports.placeOf(path);
    if (taken.has(place)) throw new CliError(`--output must name each file once: current value is "${path}"`);
    taken.add(place);
  }
}

/** What is to be written where. */
function wantedOf({ output, format }: ReportFlags): readonly WantedReport[] {
  if (output.length === 0 && format === undefined) {
    throw new CliError("report needs -o with a file such as report.html, or --format");
  }
  return (output.length === 0 ? [STDOUT] : output).map((path) => {
    const own = format ?? formatOfFile(path);
    if (own !== undefined) return { path, format: own };
    throw new CliError(
      `--output must end with one of ${endings()}, or --format must say the format: current value is "${path}"`,
    );
  });
}

/** @throws RangeError */
async function oneText(
  format: ReportFormat,
  results: readonly NamedResult[],
  options: Partial<RenderOptions>,
): Promise<string> {
  const texts = await renderReport(format, results, options);
  if (texts.length > 1) {
    throw new RangeError(
      `there are ${texts.length} texts, of ${texts.map(({ part }) => part).join(", ")}: pick one with --arm`,
    );
  }
  return texts[0]?.text ?? "";
}
