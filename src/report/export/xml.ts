/** XML 1.0 from names and values that may be hostile. */

import { harmless } from "./harmless.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text for an element's content or a quoted attribute. Line breaks stay in content that is given line by line. */
export function escapeXml(text: string): string {
  return harmless(text).replace(/[&<>"']/gu, (character) => ENTITIES[character] as string);
}

/** `<name a="1">content</name>`, or `<name a="1"/>` without content. @param lines of the content, markup already. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  lines: readonly string[] = [],
): string[] {
  const head = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(String(value))}"`)];
  if (lines.length === 0) return [`<${head.join(" ")}/>`];
  return [`<${head.join(" ")}>`, ...lines.map((line) => `  ${line}`), `</${name}>`];
}
