/** `compare`: the arms of result files, pair by pair, with intervals and p-values. */

import type { Command } from "commander";
import { compareResults, type Selection, type Source, select } from "../../comparison/compare-results.ts";
import { ALPHA } from "../../comparison/defaults.ts";
import { type Allowance, failsClosed, type Judgement, judge, parseTolerance } from "../../comparison/tolerance.ts";
import { chosenPercent } from "../../comparison/wording.ts";
import { METRICS, type Metric, metricOf } from "../../figures/metrics.ts";
import { renderAssertions } from "../../report/assertions-text.ts";
import { renderComparison } from "../../report/comparison-text.ts";
import { wrap } from "../../report/wrap.ts";
import { COMPARISON_VERSION, type ComparisonDocument } from "../../result/comparison-document.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { adderFor, named } from "../flags/add-option.ts";
import { type AssertFlags, addAssertOption, outcomesOf } from "../flags/assert-options.ts";
import { effect, oneOf } from "../flags/flag-values.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { readResults } from "./result-files.ts";

interface CompareFlags extends AssertFlags {
  readonly arm?: readonly string[];
  readonly baseline?: string;
  readonly metric?: readonly Metric[];
  readonly tolerance?: readonly string[];
  readonly alpha?: number;
  readonly effect?: number;
  readonly force: boolean;
  readonly json?: boolean | "line" | "pretty";
}

const NOTES = `
Files with one arm each: the first file is the baseline. Files with the same arms: each arm across
the files. One file: its arms. Trials are compared pair by pair, on the same arrivals.

A metric with a --tolerance regressed, and the exit code is 3, when its verdict is "worse" and its
estimate lies beyond the tolerance. With so few pairs that no verdict can be reached, every pair
must lie beyond it, and a note says how many could tell a regression from noise. A metric that the
tolerance names and that cannot be judged is NOT JUDGED, and the exit code is 3 as well.

With invalid trials that were forced in, the exit code is 4 unless it is 3.

${wrap(METRICS.map(({ key }) => key).join(", "), "Metrics: ").join("\n")}`;

export function addCompareCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("compare")
    .description("what differs between result files, or between the arms of one, and how sure that is")
    .argument("<files...>", "result files; the first one is the baseline");
  const add = adderFor(command);
  add(
    "--arm <name>",
    "compare this arm of the files alone, may be repeated",
    (text: string, before: readonly string[] = []) => [...before, text],
  );
  add(
    "--baseline <name>",
    "the arm, or of several files the file, that the others are compared with",
    (text: string) => text,
  );
  add("--metric <names>", "only these metrics, which then cost less correction: goodput,responseOkP99Ms", metricList);
  add(
    "--tolerance <list>",
    "how much worse a metric may get: 5% for all, or goodput=3%,waste=2% (percentage points of a share)",
    (text: string, before: readonly string[] = []) => [...before, text],
  );
  add(
    "--alpha <share>",
    `chance of any false verdict, over all metrics, arms and looks (default: the file's, or ${chosenPercent(ALPHA)})`,
    effect,
  );
  add("--effect <share>", "the smallest change of goodput that matters (default: the file's, or 5%)", effect);
  add("--force", "compare what differs in its plan, target or requests, and invalid trials too", undefined, false);
  addAssertOption(add);
  add("--json [style]", "the comparison as a document instead: line or pretty", oneOf(["line", "pretty"]));
  command.addHelpText("after", NOTES).action(async (files: string[], flags: CompareFlags) => {
    finish(await runCompareCommand(host, services, files, flags));
  });
}

/** @throws CliError */
async function runCompareCommand(
  host: Host,
  services: Services,
  paths: readonly string[],
  flags: CompareFlags,
): Promise<ExitCode> {
  const metrics = flags.metric ?? METRICS;
  const allowances = allowancesOf(flags.tolerance ?? [], metrics);
  const sources = await readResults(host, "compare", paths);
  checkAlpha(sources, flags.alpha);
  const selection = selected(sources, flags);
  const compared = compareResults(selection, {
    metrics,
    ...(flags.alpha === undefined ? {} : { alpha: flags.alpha }),
    ...(flags.effect === undefined ? {} : { smallestEffect: flags.effect }),
    isForced: flags.force,
  });
  if ("refusedFor" in compared) throw new CliError(refusal(sources, compared.refusedFor));
  const { comparison, forced, notes } = compared;
  const assertions = outcomesOf(compared.result, flags.assert ?? []);
  const [only] = sources.length === 1 ? sources : [];
  const judgement = judge(comparison, allowances, only?.result.design);
  const document: ComparisonDocument = {
    schemaVersion: COMPARISON_VERSION,
    document: "comparison",
    tool: { name: "overload-bench", version: services.version() },
    files: filesOf(selection, new Map(sources.map(({ name }, index) => [name, paths[index] ?? ""]))),
    forced: [...forced],
    notes: [...notes],
    comparison,
    tolerances: allowances.map(({ metric, tolerance }) => ({ metric, tolerance })),
    ...copied(judgement),
    ...(assertions.length === 0 ? {} : { assertions }),
  };
  host.stdout.write(
    flags.json === undefined
      ? renderComparison(document) + renderAssertions(assertions)
      : `${JSON.stringify(document, undefined, flags.json === "pretty" ? 2 : undefined)}\n`,
  );
  const isKept = document.regressions.length === 0 && assertions.every(({ holds }) => holds);
  if (!isKept || failsClosed(judgement)) return EXIT.assertion;
  return flags.force && selection.trials.some(isInvalid) ? EXIT.invalid : EXIT.ok;
}

function isInvalid({ interrupted, validity }: Selection["trials"][number]): boolean {
  return !interrupted && validity.verdict === "invalid";
}

/** An experiment that may have stopped by a chance of 5 % cannot be read at a larger one: it was not looked at for that. */
function checkAlpha(sources: readonly Source[], alpha: number | undefined): void {
  for (const { name, result } of sources) {
    const { stopping } = result.design;
    if (alpha === undefined || stopping.rule !== "sequential" || alpha <= stopping.alpha) continue;
    throw new CliError(
      `--alpha must be at most ${chosenPercent(stopping.alpha)}, by which ${name} could stop early: current value is ${chosenPercent(alpha)}`,
    );
  }
}

function copied({
  regressions,
  unjudged,
  undecidable,
}: Judgement): Pick<ComparisonDocument, "regressions" | "unjudged" | "undecidable"> {
  return {
    regressions: [...regressions],
    unjudged: [...unjudged],
    ...(undecidable.length === 0 ? {} : { undecidable: [...undecidable] }),
  };
}

function metricList(text: string): Metric[] {
  const keys = new Set(text.split(",").map((key) => metricOf(key.trim()).key));
  // In the order of the catalogue, goodput first.
  return METRICS.filter(({ key }) => keys.has(key));
}

/** A later flag wins over an earlier one. */
function allowancesOf(texts: readonly string[], metrics: readonly Metric[]): Allowance[] {
  const all = texts.flatMap((text) => named("--tolerance", () => parseTolerance(text, metrics)));
  const byMetric = new Map(all.map((tolerance) => [tolerance.metric, tolerance]));
  for (const { metric } of byMetric.values()) {
    if (!metrics.some(({ key }) => key === metric)) {
      throw new CliError(`--tolerance must be of metrics that are compared, and --metric leaves out ${metric}`);
    }
  }
  return [...byMetric.values()];
}

function selected(sources: readonly Source[], { arm, baseline }: CompareFlags): Selection {
  try {
    return select(sources, {
      ...(arm === undefined ? {} : { arms: arm }),
      ...(baseline === undefined ? {} : { baseline }),
    });
  } catch (error) {
    if (error instanceof RangeError) throw new CliError(`Cannot compare: ${error.message}`);
    throw error;
  }
}

function refusal(sources: readonly Source[], reasons: readonly string[]): string {
  const what = sources.map(({ name }) => name).join(", ");
  return [
    `Cannot compare ${what} as they stand; --force does it all the same:`,
    ...reasons.map((reason) => `  ${reason}`),
  ].join("\n");
}

function filesOf({ sources, arms }: Selection, paths: ReadonlyMap<string, string>): ComparisonDocument["files"] {
  return sources.map(({ name, result }, index) => ({
    name,
    path: paths.get(name) ?? name,
    command: result.command,
    version: result.tool.version,
    startedAt: startOf(result.trials),
    partial: result.partial,
    arms: [...(arms[index] ?? [])],
  }));
}

function startOf(trials: Source["result"]["trials"]): string {
  return trials.map(({ startedAt }) => startedAt).toSorted()[0] ?? "";
}
