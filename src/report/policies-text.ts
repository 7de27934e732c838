/** The policies there are, as text: all in short, or one in full. */

import { page } from "./page.ts";
import { renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

export interface OptionFacts {
  readonly name: string;
  /** Its default, with its unit. */
  readonly default: string;
  /** The same as it is written in `--policy`. */
  readonly written: string;
  /** Which values it takes. */
  readonly range: string;
  readonly doc: string;
}

export interface PolicyFacts {
  readonly name: string;
  readonly family: string;
  readonly summary: string;
  readonly use: string;
  readonly fails: string;
  readonly equation: string;
  readonly source: string;
  readonly options: readonly OptionFacts[];
}

/** Narrower than this no line is broken, wider none is set. */
const WIDTH_MIN = 60;
const WIDTH_MAX = 120;

function widthOf(columns: number): number {
  return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, columns));
}

/** All policies, family by family in the order of their first ones. @param columns of the reader's terminal. */
export function policiesText(policies: readonly PolicyFacts[], columns: number): string {
  const width = widthOf(columns);
  const families = [...new Set(policies.map(({ family }) => family))];
  const lines = families.flatMap((family) => [
    family.toUpperCase(),
    "",
    ...policies.filter((policy) => policy.family === family).flatMap((policy) => shortLines(policy, width)),
  ]);
  const hint = "overload-bench policies NAME tells all of one: its rule, its source and its options.";
  return page([...lines, ...wrap(hint, "", "", width)]);
}

function shortLines({ name, summary, use, fails }: PolicyFacts, width: number): string[] {
  return [
    `  ${name}`,
    ...wrap(`${summary}.`, "    ", "    ", width),
    ...wrap(use, "    used   ", undefined, width),
    ...wrap(fails, "    fails  ", undefined, width),
    "",
  ];
}

/** One policy in full. @param modifiers the options that any policy takes besides. */
export function policyText(policy: PolicyFacts, modifiers: readonly OptionFacts[], columns: number): string {
  const width = widthOf(columns);
  const { name, family, summary, use, fails, equation, source, options } = policy;
  const rows = [
    ["family", family],
    ["used", use],
    ["fails", fails],
    ["rule", equation],
    ["source", source],
  ] as const;
  const own =
    options.length === 0
      ? ["It has no options of its own."]
      : [`Options, as in --policy ${exampleOf(policy)}`, "", ...optionLines(options, width)];
  return page([
    ...wrap(`${name}: ${summary}.`, "", "  ", width),
    "",
    ...rows.flatMap(([label, text]) => wrap(text, `  ${label.padEnd(8)}`, undefined, width)),
    "",
    ...own,
    "",
    "Options that any policy takes",
    "",
    ...optionLines(modifiers, width),
  ]);
}

function exampleOf({ name, options }: PolicyFacts): string {
  const [first] = options;
  return first === undefined ? name : `${name},${first.name}=${first.written}`;
}

/** Name, default and range in columns, what it does on the lines below. */
function optionLines(options: readonly OptionFacts[], width: number): string[] {
  const head = ["", "default", ""];
  const rows = options.map((option) => [option.name, option.default || "none", option.range]);
  const [headLine = "", ...lines] = renderTable([head, ...rows], { align: ["left", "left", "left"] });
  return [
    `  ${headLine}`,
    ...options.flatMap(({ doc }, index) => [`  ${lines[index]}`, ...wrap(`${doc}.`, "      ", "      ", width)]),
  ];
}
