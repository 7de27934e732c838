/** What becomes of a result: a file, the report on stdout, an exit code. */

import { renderAssertions } from "../../report/assertions-text.ts";
import type { Result } from "../../result/schema.ts";
import type { ResultStore } from "../../result/store.ts";
import { StoreError } from "../../result/store-error.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Host } from "../host.ts";

/**
 * @param note is told when it went elsewhere than it was wanted.
 * @returns the path. @throws CliError when it could not be saved as it should be; it is on stdout then if it is in no file.
 */
export async function saveResult(
  host: Host,
  store: ResultStore,
  result: Result,
  final: boolean,
  note: (text: string) => void,
): Promise<string> {
  try {
    const { path, fallbackReason } = await store.save(result, { final });
    if (fallbackReason !== undefined) note(`${fallbackReason}: the result went elsewhere`);
    return path;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.json !== undefined) host.stdout.write(error.json);
    throw new CliError(error.message, EXIT.failed);
  }
}

/** The report, or the document itself where `json` asks for it; and where it is. */
export function printResult(
  host: Host,
  json: boolean | "line" | "pretty" | undefined,
  result: Result,
  path: string,
  render: (result: Result) => string,
): void {
  const assertions = renderAssertions(result.assertions ?? []);
  if (json === undefined) host.stdout.write(render(result) + assertions);
  else host.stdout.write(`${JSON.stringify(result, undefined, json === "pretty" ? 2 : undefined)}\n`);
  if (json !== undefined) host.stderr.write(assertions);
  (json === undefined ? host.stdout : host.stderr).write(`Result: ${path}\n`);
}

/**
 * What a result says to a script. An invalid measurement cannot satisfy an assertion, so that comes first.
 *
 * @param isReported whether all reports of it were written.
 */
export function exitCodeOf(result: Result, isReported = true): ExitCode {
  const { trials, assertions = [] } = result;
  if (trials.some((trial) => trial.validity.verdict === "invalid") || isWithoutCapacity(result)) return EXIT.invalid;
  if (assertions.some(({ holds }) => !holds)) return EXIT.assertion;
  return isReported ? EXIT.ok : EXIT.failed;
}

/** A search that found none: its load did not come to rest, or more failed than was declared bearable. */
function isWithoutCapacity({ command, capacity }: Result): boolean {
  return command === "capacity" && (capacity === undefined || !capacity.held || capacity.saturated);
}
