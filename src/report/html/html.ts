/**
 * Markup that cannot be injected into: `html` is a tagged template that escapes every value put into it, unless it is markup
 * that came from `html` itself. Attributes are always written in double quotes.
 */

import { replaceHostile } from "../../figures/hostile-characters.ts";

/** Markup that is safe to put into a page as it is. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What a template takes: a list is put in one after the other, nothing and `false` are left out. */
export type Child = Html | string | number | false | undefined | readonly Child[];

/** Nothing at all. */
export const EMPTY = new Html("");

/** Text that is known to be harmless where it goes: constants of this folder, never anything of a result. */
export function raw(markup: string): Html {
  return new Html(markup);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

export function html(parts: TemplateStringsArray, ...children: readonly Child[]): Html {
  let markup = parts[0] ?? "";
  for (const [index, child] of children.entries()) markup += render(child) + (parts[index + 1] ?? "");
  return new Html(markup);
}

function render(child: Child): string {
  if (child instanceof Html) return child.markup;
  if (child === undefined || child === false) return "";
  if (typeof child === "number") return String(child);
  if (typeof child === "string") return escapeText(child);
  return child.map(render).join("");
}

/**
 * Text for an element's content or a quoted attribute. Control characters, and those that turn the direction of writing,
 * are shown as their code points: what a page shows is what a file holds.
 */
export function escapeText(text: string): string {
  const markup = text.replace(/[&<>"'`]/gu, (character) => ENTITIES[character] ?? character);
  return replaceHostile(markup, codePoint);
}

function codePoint(character: string): string {
  if (character === "\n" || character === "\t") return character;
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}
