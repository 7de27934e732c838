/** Tables of figures: a caption, heads with their scope, the first cell of a row its head. */

import { type Child, type Html, html } from "./html.ts";

/** A cell of prose is set to the left. */
export interface Prose {
  readonly prose: Child;
}

export type Cell = Html | string | number | Prose;

export interface Row {
  readonly cells: readonly Cell[];
  /** Where the row lies on the plots beside the table, in units of the drawing: for the read-out. */
  readonly at?: number;
  readonly best?: boolean;
}

/** A row that heads those below it. */
export interface GroupHead {
  readonly group: string;
}

export interface DataTable {
  readonly caption: Child;
  readonly head: readonly Cell[];
  readonly rows: readonly (Row | GroupHead)[];
  readonly id?: string;
}

/** More columns are set closer. */
const DENSE_FROM = 9;

export function dataTable({ caption, head, rows, id }: DataTable): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table, scrolls sideways"><table${id !== undefined && html` id="${id}"`}${head.length > DENSE_FROM && html` class="dense"`}><caption><span>${caption}</span></caption><thead><tr>${head.map(headCell)}</tr></thead><tbody>${rows.map((row) => tableRow(row, head.length))}</tbody></table></div>`;
}

function headCell(cell: Cell): Html {
  return isProse(cell) ? html`<th scope="col" class="l">${cell.prose}</th>` : html`<th scope="col">${cell}</th>`;
}

function tableRow(row: Row | GroupHead, columns: number): Html {
  if ("group" in row) return html`<tr class="sub"><th scope="rowgroup" colspan="${columns}">${row.group}</th></tr>`;
  const [first, ...others] = row.cells;
  const place = row.at === undefined ? false : html` data-at="${Math.round(row.at * 10) / 10}"`;
  return html`<tr${place}${row.best === true && html` class="best"`}><th scope="row">${first === undefined || !isProse(first) ? first : first.prose}</th>${others.map(dataCell)}</tr>`;
}

function dataCell(cell: Cell): Html {
  return isProse(cell) ? html`<td class="l">${cell.prose}</td>` : html`<td>${cell}</td>`;
}

function isProse(cell: Cell): cell is Prose {
  return typeof cell === "object" && "prose" in cell;
}
