/** `--assert`: what must hold of a result, checked before anything is measured. */

import { decodeBins, percentileMs } from "../../engine/histogram.ts";
import { type Assertion, figuresIn } from "../../gate/assertion.ts";
import { evaluate } from "../../gate/evaluate.ts";
import { parseAssertion } from "../../gate/parse.ts";
import { UnknownFigureError } from "../../gate/syntax-error.ts";
import type { PercentileReader } from "../../gate/trial-lookup.ts";
import { didYouMean } from "../../policy/nearest-names.ts";
import type { DecodeLatencies } from "../../report/export/export-input.ts";
import type { AssertionOutcome } from "../../result/design-schema.ts";
import type { Result } from "../../result/schema.ts";
import { CliError } from "../cli-error.ts";
import type { Add } from "./add-option.ts";

export interface AssertFlags {
  readonly assert?: readonly string[];
}

/** Arms of a sweep are many. */
const LISTED_MAX = 8;

/** For the exports that hold distributions. @throws RangeError for a file whose distributions are spoiled. */
export const decodeLatencies: DecodeLatencies = (hdrs) => {
  try {
    return decodeBins(hdrs);
  } catch {
    throw new RangeError("a latency distribution of the result cannot be read");
  }
};

/** A result may come from somebody else. */
export const percentile: PercentileReader = (latency, share) => {
  try {
    return percentileMs(latency, share);
  } catch {
    return undefined;
  }
};

export function addAssertOption(add: Add): void {
  add(
    "--assert <assertion>",
    "what must hold, else the exit code is 3: 'goodput>=0.95*offered'; may be repeated; check --figures lists all names",
    assertion,
    [],
  );
}

/** As it was written, once it is known to be an assertion. @throws RangeError */
function assertion(text: string, before: readonly string[]): readonly string[] {
  return [...before, parsed(text).text];
}

/** What each arm must keep, so that it names none. @throws RangeError */
export function limit(text: string, before: readonly string[]): readonly string[] {
  const asked = parsed(text);
  const [arm] = armsNamed(asked);
  if (arm === undefined) return [...before, asked.text];
  throw new RangeError(`must be of every arm, and names '${arm}' itself: current value is ${JSON.stringify(text)}`);
}

/** @throws CliError for an assertion about an arm that there is not going to be. */
export function checkAsserted({ assert = [] }: AssertFlags, arms: readonly string[]): void {
  for (const text of assert) {
    const unknown = armsNamed(parseAssertion(text)).find((arm) => !arms.includes(arm));
    if (unknown === undefined) continue;
    throw new CliError(`--assert ${text}: there is no arm '${unknown}'${didYouMean(unknown, arms)}: ${listed(arms)}`);
  }
}

function listed(arms: readonly string[]): string {
  const more = arms.length - LISTED_MAX;
  return `the arms are ${arms.slice(0, LISTED_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function armsNamed({ left, right }: Assertion): readonly string[] {
  return [left, right].flatMap(figuresIn).flatMap(({ arm }) => (arm === undefined ? [] : [arm]));
}

function parsed(text: string): Assertion {
  try {
    const asked = parseAssertion(text);
    if ([asked.left, asked.right].flatMap(figuresIn).length > 0) return asked;
    throw new RangeError(`must name a figure, as in goodput>=0.95*offered: current value is ${JSON.stringify(text)}`);
  } catch (error) {
    if (!(error instanceof UnknownFigureError)) throw error;
    throw new RangeError(`${error.message}${didYouMean(error.figure, error.candidates)}`);
  }
}

/** All outcomes, in the order of the assertions. */
export function outcomesOf(result: Result, assertions: readonly string[]): AssertionOutcome[] {
  return assertions.flatMap((text) => evaluate(parseAssertion(text), result, { percentile }));
}

/** The result with what was asserted of it, in place of what was before. Without assertions it stays as it is. */
export function withAssertions(result: Result, { assert = [] }: AssertFlags): Result {
  return assert.length === 0 ? result : { ...result, assertions: outcomesOf(result, assert) };
}
