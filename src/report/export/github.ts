/**
 * What a run says in GitHub Actions: annotations by workflow commands
 * (https://docs.github.com/actions/reference/workflow-commands-for-github-actions), and a step summary.
 */

import type { Result } from "../../result/schema.ts";
import { answersOf } from "../answers.ts";
import type { NamedResult } from "../named-result.ts";
import { harmless } from "./harmless.ts";
import { renderMarkdown } from "./markdown.ts";

/** GitHub shows so many annotations of a level for a step. */
const SHOWN_MAX = 10;
/** Below the 1 MiB that a step's summary may have, whatever other steps of the command wrote to it. */
const SUMMARY_BYTES_MAX = 900_000;

interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly title: string;
  readonly message: string;
}

/** A line for each assertion that failed, each kind of doubt about the measurement, and what follows. */
export function githubAnnotations(result: Result): string {
  const all = [...assertionAnnotations(result), ...validityAnnotations(result), ...answerAnnotations(result)];
  const lines = (["error", "warning", "notice"] as const).flatMap((level) => {
    const own = all.filter((annotation) => annotation.level === level);
    if (own.length <= SHOWN_MAX) return own;
    const rest = own.length - (SHOWN_MAX - 1);
    const message = `${rest} more: see the step summary`;
    return [...own.slice(0, SHOWN_MAX - 1), { level, title: "overload-bench", message }];
  });
  return lines.map(({ level, title, message }) => `::${level} title=${property(title)}::${data(message)}\n`).join("");
}

/** The Markdown of the results, cut where GitHub would refuse it. */
export function githubSummary(results: readonly NamedResult[]): string {
  const text = renderMarkdown(results);
  if (utf8Length(text) <= SUMMARY_BYTES_MAX) return `${text}\n`;
  // No character takes more than three bytes for each of its code units.
  const cut = text.slice(0, Math.floor(SUMMARY_BYTES_MAX / 3));
  return `${cut.slice(0, cut.lastIndexOf("\n"))}\n\nThe rest is left out: it is more than GitHub takes.\n`;
}

function assertionAnnotations({ assertions = [] }: Result): Annotation[] {
  return assertions
    .filter(({ holds }) => !holds)
    .map(({ text, arm, message }) => ({
      level: "error",
      title: "overload-bench: an assertion failed",
      message: `${text}${arm === "" ? "" : ` [${arm}]`}: ${message}`,
    }));
}

/** A reason that many trials share is told once. */
function validityAnnotations({ trials }: Result): Annotation[] {
  const told = new Map<string, Annotation>();
  for (const { arm, pair, validity } of trials) {
    for (const { code, severity, message, hint } of validity.reasons) {
      if (severity === "note" || told.has(severity + code)) continue;
      told.set(severity + code, {
        level: severity === "invalid" ? "error" : "warning",
        title: `overload-bench: the measurement is ${severity} (${code})`,
        message: `${arm} ${pair + 1}: ${message} -> ${hint}`,
      });
    }
  }
  return [...told.values()];
}

function answerAnnotations(result: Result): Annotation[] {
  return answersOf(result).map((message) => ({ level: "notice", title: "overload-bench", message }));
}

/** A workflow command ends at the end of its line. Line breaks are gone before, as all control characters. */
function data(text: string): string {
  return harmless(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
