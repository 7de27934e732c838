/** Plots that belong together, what they show in words, and the same figures as a table below them. */

import { type Child, EMPTY, type Html, html } from "./html.ts";

export interface FigureBlock {
  readonly plots: readonly Html[];
  readonly caption: Child;
  readonly legend?: Html;
  readonly table?: Html;
  /** The table whose rows are read out where the pointer is. */
  readonly readout?: string;
  /** Many small plots side by side. */
  readonly small?: boolean;
}

export function figureBlock({ plots, caption, legend = EMPTY, table, readout, small = false }: FigureBlock): Html {
  const layout = small ? "plots small" : plots.length === 1 ? "plots one" : "plots";
  return html`<figure>${legend}<div class="${layout}"${readout !== undefined && html` data-readout="${readout}"`}>${plots}</div><figcaption>${caption}</figcaption></figure>${table !== undefined && html`<details><summary>These figures as a table</summary>${table}</details>`}`;
}
