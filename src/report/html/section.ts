/** Headings and parts of a report on one result. */

import { type Child, type Html, html } from "./html.ts";
import type { Subject } from "./subject.ts";

/** A part of the report with its own heading; without a body there is none. */
export function section({ ids, sections }: Subject, title: string, body: Html): Html {
  const id = ids(
    title
      .toLowerCase()
      .replace(/[^a-z]+/gu, "-")
      .replace(/^-|-$/gu, ""),
  );
  sections.push({ id, title });
  return html`<section aria-labelledby="${id}"><h3 class="title" id="${id}">${title}</h3>${body}</section>`;
}

/** A heading inside a section. */
export function part(title: Child): Html {
  return html`<h4 class="part">${title}</h4>`;
}
