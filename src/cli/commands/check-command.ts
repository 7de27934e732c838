/** `check`: assertions over result files. */

import type { Command } from "commander";
import { listFigures } from "../../gate/catalogue.ts";
import { unitText } from "../../gate/unit.ts";
import { renderAssertions } from "../../report/assertions-text.ts";
import type { NamedResult } from "../../report/named-result.ts";
import { page } from "../../report/page.ts";
import { wrap } from "../../report/wrap.ts";
import type { AssertionOutcome } from "../../result/design-schema.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { adderFor } from "../flags/add-option.ts";
import { addAssertOption, outcomesOf } from "../flags/assert-options.ts";
import { oneOf } from "../flags/flag-values.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { addGithubOption, tellGithub } from "../session/exports.ts";
import { exitCodeOf } from "../session/save-result.ts";
import { readResults } from "./result-files.ts";

interface CheckFlags {
  readonly assert: readonly string[];
  readonly figures: boolean;
  readonly github: boolean;
  readonly json?: boolean | "line" | "pretty";
}

const NOTES = `
A figure without an arm is that of the only arm, of every arm but the baseline where arms are compared, of every cell of a
sweep and every arm of a recovery; on:goodput is that of the arm on, "k=2":goodput that of an arm whose name is no plain word.
A figure is the median over the trials of its arm; max(throttled/planned) is the worst trial's. A figure that does not exist,
or of which only a bound is known that does not settle it, fails: so do recovery.seconds where half of the trials never came
back, and capacity.goodput and capacity.offer where the offer did not come to rest.

Exit codes: 0 all hold, 3 one does not, 4 a measurement is invalid and so cannot satisfy any.`;

export function addCheckCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("check")
    .description("whether assertions hold of result files")
    .argument("[files...]", "result files");
  const add = adderFor(command);
  addAssertOption(add);
  add("--figures", "list all figures that assertions can name", undefined, false);
  add("--json [style]", "the outcomes as JSON instead: line or pretty", oneOf(["line", "pretty"]));
  addGithubOption(add);
  command.addHelpText("after", NOTES).action(async (files: string[], flags: CheckFlags) => {
    finish(await runCheckCommand(host, services, files, flags));
  });
}

/** @throws CliError */
async function runCheckCommand(
  host: Host,
  services: Services,
  files: readonly string[],
  flags: CheckFlags,
): Promise<ExitCode> {
  if (flags.figures) {
    host.stdout.write(figuresText());
    return EXIT.ok;
  }
  if (files.length === 0) throw new CliError("check needs result files, or --figures");
  const results = await readResults(host, "check", files);
  const checked = results.map((each, index) => withOutcomes(each, files[index] ?? each.name, flags.assert));
  if (checked.every(({ result }) => (result.assertions ?? []).length === 0)) {
    throw new CliError("check needs --assert, or files that say what was asserted of them");
  }
  print(host, flags, files, checked);
  const failures = flags.github ? await tellGithub(host, services, checked) : [];
  for (const failure of failures) host.stderr.write(failure);
  return worstOf(checked.map(({ result }) => exitCodeOf(result, failures.length === 0)));
}

/** Without new assertions, those that the file holds are asked again. */
function withOutcomes({ name, result }: NamedResult, path: string, assertions: readonly string[]): NamedResult {
  const before = [...new Set((result.assertions ?? []).map(({ text }) => text))];
  const asked = assertions.length > 0 ? assertions : before;
  return { name, result: { ...result, assertions: outcomes(path, result, asked) } };
}

function outcomes(path: string, result: NamedResult["result"], asked: readonly string[]): AssertionOutcome[] {
  try {
    return outcomesOf(result, asked);
  } catch (error) {
    // What a file holds may be of a newer version.
    if (error instanceof RangeError) throw new CliError(`${path}: its assertion ${error.message}`);
    throw error;
  }
}

function print(host: Host, { json }: CheckFlags, files: readonly string[], checked: readonly NamedResult[]): void {
  if (json !== undefined) {
    const document = checked.map(({ result }, index) => ({
      path: files[index],
      verdicts: result.trials.map(({ arm, pair, validity }) => ({ arm, pair, verdict: validity.verdict })),
      assertions: result.assertions,
    }));
    host.stdout.write(`${JSON.stringify(document, undefined, json === "pretty" ? 2 : undefined)}\n`);
    return;
  }
  for (const [index, { result }] of checked.entries()) {
    const { trials, partial, assertions = [] } = result;
    const invalid = trials.filter(({ validity }) => validity.verdict === "invalid").length;
    host.stdout.write(
      page([
        ...(index === 0 ? [] : [""]),
        `${files[index] ?? ""}`,
        ...(partial ? ["PARTIAL: the experiment was cut short"] : []),
        ...(invalid === 0
          ? []
          : wrap(`INVALID: ${invalid} of ${trials.length} trials; what was not measured well satisfies no assertion`)),
      ]) + renderAssertions(assertions),
    );
  }
}

const WORST_FIRST: readonly ExitCode[] = [EXIT.invalid, EXIT.assertion, EXIT.failed];

function worstOf(codes: readonly ExitCode[]): ExitCode {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

function figuresText(): string {
  return page(
    listFigures().flatMap(({ name, unit, text }) =>
      wrap(
        `${unitText(unit)}${text === "" ? "" : `: ${text}`}`,
        `${name.padEnd(FIGURE_WIDTH - 2)}  `,
        " ".repeat(FIGURE_WIDTH),
      ),
    ),
  );
}

const FIGURE_WIDTH = 44;
