import { type Html, html } from "./html.ts";

/** Longer names are cut where they stand in a table or a plot; the configuration has them whole. */
const SHOWN_MAX = 48;

/** The first `max` characters of a text, `…` for the rest. */
export function shorten(text: string, max: number = SHOWN_MAX): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

/** A name that somebody else chose: it neither turns the writing around it nor takes the page's width. */
export function nameText(name: string, max?: number): Html {
  const short = shorten(name, max);
  return short === name ? html`<bdi>${name}</bdi>` : html`<bdi title="${name}">${short}</bdi>`;
}
