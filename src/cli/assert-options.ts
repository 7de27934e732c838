/** `--assert`: what must hold of a result, checked before anything is measured. */

import { decodeBins, percentileMs } from "../engine/histogram.ts";
import { evaluate } from "../gate/evaluate.ts";
import { parseAssertion } from "../gate/parse.ts";
import { UnknownFigureError } from "../gate/syntax-error.ts";
import type { PercentileReader } from "../gate/trial-lookup.ts";
import { didYouMean } from "../policy/nearest-names.ts";
import type { DecodeLatencies } from "../report/export/export-input.ts";
import type { AssertionOutcome } from "../result/design-schema.ts";
import type { Result } from "../result/schema.ts";
import type { Add } from "./add-option.ts";

export interface AssertFlags {
  readonly assert?: readonly string[];
}

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
export function assertion(text: string, before: readonly string[]): readonly string[] {
  try {
    return [...before, parseAssertion(text).text];
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
