/** Markdown as GitHub renders it, from names and values that may be hostile. */

import { harmless } from "./harmless.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;" };

/** Text within a line or a cell: nothing in it is markup, a link, a mention or the end of a cell. */
export function escapeMarkdown(text: string): string {
  return harmless(text)
    .replace(/[\\`*_{}[\]#!~|$]/gu, "\\$&")
    .replace(/[&<>@]/gu, (character) => ENTITIES[character] as string)
    .replace(/:\/\//gu, ":&#8203;//");
}

export type Column = readonly [head: string, align: "left" | "right"];

/** A table; all cells are escaped. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const row = (cells: readonly string[]): string => `| ${cells.map((cell) => escapeMarkdown(cell)).join(" | ")} |`;
  return [
    row(columns.map(([head]) => head)),
    `|${columns.map(([, align]) => (align === "left" ? " :-- " : " --: ")).join("|")}|`,
    ...rows.map(row),
  ];
}
