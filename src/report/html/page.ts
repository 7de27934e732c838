/** The report: one self-contained HTML page, which loads nothing and can be read without its script. */

import { isSearch } from "../../figures/is-search.ts";
import { formatCount, formatSeconds } from "../../figures/number-format.ts";
import type { Result } from "../../result/schema.ts";
import type { Sweep } from "../../result/sweep-schema.ts";
import { multipleWords } from "../capacity-load-text.ts";
import { clientsText, worldText } from "../context-line.ts";
import type { DecodeLatencies } from "../export/export-input.ts";
import type { NamedResult } from "../named-result.ts";
import { nameText, shorten } from "./arm-name.ts";
import { capacitySection } from "./capacity-section.ts";
import { cpuSection } from "./cpu-section.ts";
import { fairnessSection } from "./fairness-section.ts";
import { type Html, html, raw } from "./html.ts";
import { createIds } from "./ids.ts";
import { keyFiguresSection } from "./key-figures-section.ts";
import { latencySection } from "./latency-section.ts";
import { outcomesSection } from "./outcomes-section.ts";
import { pairsSection } from "./pairs-section.ts";
import { recoverySection } from "./recovery-section.ts";
import { reproduceSection } from "./reproduce-section.ts";
import { SCRIPT, SCRIPT_HASH } from "./script.ts";
import { STYLES } from "./styles.ts";
import { type ArmView, createSubject, type Subject } from "./subject.ts";
import { sweepSection } from "./sweep-section.ts";
import { timeSection } from "./time-section.ts";
import { twinSection } from "./twin-section.ts";
import { validitySection } from "./validity-section.ts";
import { toneOf, verdictSection, verdictSentences } from "./verdict-section.ts";

/** What a page may be given beside its results. */
export interface PageOptions {
  /** Reads the latency distributions; without it the percentiles that results store are drawn. */
  readonly decode?: DecodeLatencies;
}

/** A longer list of an axis's values is only counted in a title. */
const LISTED_MAX = 40;

const POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src '${SCRIPT_HASH}'; img-src data:; base-uri 'none'; form-action 'none'`;

/** The whole document. Everything that a result holds is text in it, whatever it looks like. */
export function renderHtml(results: readonly NamedResult[], { decode }: PageOptions = {}): string {
  const ids = createIds();
  const subjects = results.map(({ name, result }) => createSubject(name, result, ids, decode));
  const articles = subjects.map((subject) => article(subject, subjects.length === 1));
  const [only] = subjects;
  const title = subjects.length === 1 && only !== undefined ? titleOf(only) : `${subjects.length} results`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${shorten(title, 120)} - overload-bench</title>
<link rel="icon" href="data:,">
<style>${raw(STYLES)}</style>
</head>
<body>
<a class="skip" href="#report">To the report</a>
<div class="wide">
<header><h1>${shorten(title, 160)}</h1></header>
${contents(subjects, articles)}
<main id="report" tabindex="-1">${articles.map(({ markup }) => markup)}</main>
<footer>${[...new Set(results.map(({ result }) => `${result.tool.name} ${result.tool.version}`))].join(", ")}. This page loads nothing: it can be kept, sent and printed as it is.</footer>
</div>
<script>${raw(SCRIPT)}</script>
</body>
</html>
`;
  return page.markup;
}

interface Article {
  readonly id: string;
  readonly markup: Html;
}

function article(subject: Subject, only: boolean): Article {
  const id = subject.ids("result");
  const body = html`${verdictSection(subject)}${capacitySection(subject)}${recoverySection(subject)}${sweepSection(subject)}${keyFiguresSection(subject)}${timeSection(subject)}${outcomesSection(subject)}${latencySection(subject)}${pairsSection(subject)}${fairnessSection(subject)}${cpuSection(subject)}${twinSection(subject)}${validitySection(subject)}${reproduceSection(subject)}`;
  const head = only
    ? html`<h2>What came out</h2><p class="muted">${contextOf(subject)} File: ${nameText(subject.name, 80)}</p>`
    : html`<h2>${nameText(subject.name, 80)}</h2><p class="muted">${titleOf(subject)}. ${contextOf(subject)}</p>`;
  return {
    id,
    markup: html`<article id="${id}"${only && html` class="only"`}><header>${head}${!only && sectionList(subject)}</header>${body}</article>`,
  };
}

/** Several results: what each says, under one list. A single one: its sections. */
function contents(subjects: readonly Subject[], articles: readonly Article[]): Html {
  const [only] = subjects;
  if (subjects.length === 1 && only !== undefined) return sectionList(only);
  return html`<nav aria-label="Results"><ul class="results">${subjects.map(
    (subject, index) =>
      html`<li class="tone-${toneOf(subject.result)}"><span class="mark" aria-hidden="true">■</span> <a href="#${articles[index]?.id}">${nameText(subject.name, 80)}</a>: ${verdictSentences(subject)[0]}</li>`,
  )}</ul></nav>`;
}

function sectionList({ sections, name }: Subject): Html {
  return html`<nav aria-label="Sections of ${shorten(name, 60)}"><ol>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ol></nav>`;
}

/** What was set against what. */
function titleOf({ result, arms, comparison }: Subject): string {
  if (result.sweep !== undefined) {
    return `Sweep over ${result.sweep.axes.map(axisText).join(" and ")}`;
  }
  const [first, second] = arms;
  if (first === undefined) return "Nothing was measured";
  if (isSearch(result)) return `The capacity of ${targetText(result, first)}`;
  if (result.command === "recovery") return recoveryTitle(result, arms);
  if (second === undefined) return `${first.policy} at ${first.first.plan.rate}`;
  const names = arms.filter(({ name }) => name !== comparison?.baseline).map(({ name }) => name);
  return `${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""} against ${comparison?.baseline ?? first.name}`;
}

/** A real one by its address, which the configuration has. */
function targetText({ config }: Result, { first }: ArmView): string {
  if (first.world === "virtual") return "a simulated target";
  const { world } = config;
  const url = typeof world === "object" && world !== null && "url" in world ? world.url : undefined;
  return typeof url === "string" ? url : "the built-in target";
}

function recoveryTitle({ recovery }: Result, arms: readonly ArmView[]): string {
  const names = arms.slice(0, 3).map(({ name }) => name);
  const more = arms.length > 3 ? ` and ${arms.length - 3} more` : "";
  return `Recovery${recovery === undefined ? "" : ` from ${recovery.trigger}`}: ${names.join(", ")}${more}`;
}

/** Its values, or how many they are. */
function axisText({ name, values }: Sweep["axes"][number]): string {
  const list = values.join(", ");
  return `${name === "k" ? "K" : name} (${list.length <= LISTED_MAX ? list : values.length})`;
}

function contextOf({ result, arms }: Subject): string {
  const { plan, trials } = result;
  const rates = [...new Set(arms.map((arm) => arm.first.plan.rate))];
  const rate = rates.length > 1 ? `${rates[0]} to ${rates.at(-1)}` : plan.rate;
  const first = arms[0]?.first;
  const world = first === undefined ? "" : `, ${worldText(first)}`;
  const past = clientsText(trials);
  const clients = past === undefined ? "" : `, ${past}`;
  const count = trials.length === 1 ? "1 trial" : `${formatCount(trials.length)} trials`;
  if (isSearch(result)) return `${count}${world}, ${plan.arrival} arrivals at what the governor offered${clients}.`;
  return `${count} of ${formatSeconds(trials.length === 1 && first !== undefined ? first.durationSeconds : plan.durationSeconds)}${world}, ${plan.arrival} arrivals at ${rate}${multipleWords(result, rates.length > 1 ? undefined : plan.rps)}${clients}.`;
}
