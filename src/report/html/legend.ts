/** What the lines and colours of a figure stand for. */

import { nameText } from "./arm-name.ts";
import { type Child, type Html, html } from "./html.ts";
import { armClass } from "./palette.ts";
import { markerPath } from "./shapes.ts";
import type { ArmView } from "./subject.ts";

export interface LegendItem {
  readonly swatch: Html;
  readonly label: Child;
  /** Parts of plots with this `data-series` can be hidden. */
  readonly toggle?: string;
}

export function legend(items: readonly LegendItem[]): Html {
  return html`<ul class="legend">${items.map(
    ({ swatch, label, toggle }) =>
      html`<li${toggle !== undefined && html` data-toggle="${toggle}"`}><svg viewBox="0 0 30 14" aria-hidden="true">${swatch}</svg><span>${label}</span></li>`,
  )}</ul>`;
}

/** A line as it is drawn for an arm, with its marker. */
export function armItem(arm: ArmView): LegendItem {
  const swatch = html`<g class="${armClass(arm.index)}"><path class="line dash" d="M0,7H30"/><path class="dot" transform="translate(15,7)" d="${markerPath(arm.index)}"/></g>`;
  return { swatch, label: armLabel(arm), toggle: `arm-${arm.index}` };
}

/** The arm's name, and its policy unless that is the name. */
function armLabel({ name, policy }: ArmView): Html {
  return name === policy ? nameText(name) : html`${nameText(name)} <span class="muted">${nameText(policy)}</span>`;
}

/** A line of a class that gives it its colour. */
export function lineItem(className: string, label: Child, toggle?: string): LegendItem {
  const swatch = html`<g class="${className}"><path class="line" d="M0,7H30"/></g>`;
  return { swatch, label, ...(toggle !== undefined && { toggle }) };
}

/** A path of a class that needs no colour of its own. */
export function pathItem(className: string, label: Child): LegendItem {
  return { swatch: html`<path class="${className}" d="M0,7H30"/>`, label };
}

/** A part of the ground of a plot. */
export function zoneItem(className: string, label: Child): LegendItem {
  return { swatch: html`<rect class="${className}" x="4" width="22" height="14" rx="2"/>`, label };
}

export function areaItem(className: string, label: Child): LegendItem {
  return {
    swatch: html`<g class="${className}"><rect class="segment" x="8" width="14" height="14" rx="2"/></g>`,
    label,
  };
}
