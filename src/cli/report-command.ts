/** `report`: a report of result files, in the format that its file's name tells. */

import type { Command } from "commander";
import { formatOfFile, REPORT_FORMATS, type RenderOptions, type ReportFormat } from "../report/formats.ts";
import type { NamedResult } from "../report/html/page.ts";
import { adderFor } from "./add-option.ts";
import { CliError } from "./cli-error.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { asCliError, endings, renderReport, reportFormat, writeReport } from "./exports.ts";
import type { Host } from "./host.ts";
import { readResults } from "./result-files.ts";
import type { Services } from "./services.ts";

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

/** @throws CliError */
async function runReportCommand(
  host: Host,
  services: Services,
  files: readonly string[],
  flags: ReportFlags,
): Promise<ExitCode> {
  const wanted = wantedOf(flags);
  for (const { path } of wanted) {
    if (files.includes(path))
      throw new CliError(`--output must not be a result that is read: current value is "${path}"`);
  }
  const results = await readResults(host, "report", files);
  const { histogram, arm } = flags;
  const options = { ...(histogram === undefined ? {} : { histogram }), ...(arm === undefined ? {} : { arm }) };
  for (const { path, format } of wanted) {
    try {
      if (path === STDOUT) host.stdout.write(await oneText(format, results, options));
      else
        for (const place of await writeReport(services, format, path, results, options)) {
          host.stderr.write(`Report: ${place}\n`);
        }
    } catch (error) {
      throw asCliError(error);
    }
  }
  return EXIT.ok;
}

/** What is to be written where. */
function wantedOf({
  output,
  format,
}: ReportFlags): readonly { readonly path: string; readonly format: ReportFormat }[] {
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
