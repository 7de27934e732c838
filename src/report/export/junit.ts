/**
 * JUnit XML as CI systems read it (the schema of Jenkins' xunit plugin): a suite for each result, and in it a case for each
 * trial's validity and each assertion. What came out is told beside them: that an arm is worse is no failure of a build unless
 * an assertion says so.
 */

import { formatNumber } from "../../figures/number-format.ts";
import type { Contrast } from "../../result/comparison-schema.ts";
import type { AssertionOutcome } from "../../result/design-schema.ts";
import type { Result, TrialResult } from "../../result/schema.ts";
import { answersOf } from "../answers.ts";
import type { NamedResult } from "../named-result.ts";
import { element, escapeXml } from "./xml.ts";

interface Case {
  readonly group: string;
  readonly name: string;
  readonly seconds: number;
  /** Absent: it passed. */
  readonly failure?: { readonly type: string; readonly message: string };
  /** Further lines, whether it passed or not. */
  readonly said?: readonly string[];
}

export function renderJunit(results: readonly NamedResult[]): string {
  const suites = results.map(({ name, result }) => ({ name, result, cases: casesOf(result) }));
  const all = suites.flatMap(({ cases }) => cases);
  const lines = element(
    "testsuites",
    { name: "overload-bench", ...totals(all) },
    suites.flatMap(({ name, result, cases }) =>
      element("testsuite", { name, ...totals(cases), errors: 0, skipped: 0, timestamp: timestampOf(result) }, [
        ...cases.flatMap((each) => caseLines(each, name)),
        ...element("system-out", {}, outputLines(result).map(escapeXml)),
      ]),
    ),
  );
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...lines, ""].join("\n");
}

function totals(cases: readonly Case[]): { tests: number; failures: number; time: string } {
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    time: cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3),
  };
}

function casesOf(result: Result): Case[] {
  return [...result.trials.map(validityCase), ...(result.assertions ?? []).map(assertionCase)];
}

function validityCase(trial: TrialResult): Case {
  const { verdict, reasons } = trial.validity;
  const said = reasons.map(({ severity, code, message, hint }) => `${severity} ${code}: ${message} -> ${hint}`);
  const why = reasons.filter(({ severity }) => severity === "invalid").map(({ message }) => message);
  return {
    group: "validity",
    name: `trial ${trial.pair + 1} of ${trial.arm} is valid`,
    seconds: trial.durationSeconds + trial.drainSeconds,
    ...(verdict === "invalid" && { failure: { type: "invalid", message: why.join("; ") || "invalid" } }),
    said,
  };
}

function assertionCase({ text, arm, holds, message }: AssertionOutcome): Case {
  return {
    group: "assertion",
    name: arm === "" ? text : `${text} [${arm}]`,
    seconds: 0,
    ...(holds ? { said: [message] } : { failure: { type: "assertion", message } }),
  };
}

/** What came out, and of a comparison of arms what got worse. */
function outputLines(result: Result): string[] {
  const contrasts = result.sweep === undefined ? (result.comparison?.contrasts ?? []) : [];
  return [...answersOf(result), ...contrasts.flatMap(worseLines)];
}

function worseLines({ arm, baseline, metrics }: Contrast): string[] {
  return metrics
    .filter(({ verdict }) => verdict === "worse")
    .map(({ metric, effect, estimate }) => {
      const size = estimate === null ? "" : ` (${effect} ${formatNumber(estimate)})`;
      return `worse in ${arm} than in ${baseline}: ${metric}${size}`;
    });
}

function caseLines({ group, name, seconds, failure, said = [] }: Case, suite: string): string[] {
  const content = [
    ...(failure === undefined ? [] : element("failure", failure, [escapeXml(failure.message)])),
    ...(said.length === 0 ? [] : element("system-out", {}, said.map(escapeXml))),
  ];
  return element("testcase", { classname: `${suite}.${group}`, name, time: seconds.toFixed(3) }, content);
}

/** As the schema wants it: without fractions and zone. */
function timestampOf({ trials }: Result): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/u.exec(trials[0]?.startedAt ?? "")?.[0] ?? "1970-01-01T00:00:00";
}
