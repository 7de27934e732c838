import { displayWidth } from "./display-width.ts";

/** `left` for words, `right` for numbers. */
export type Alignment = "left" | "right";

/** How {@link renderTable} sets a table. */
export interface TableOptions {
  /** One per column; columns without one are aligned `right`. Default: the first `left`, all others `right`. */
  readonly align?: readonly Alignment[];
  /** Spaces between two columns. Default 3. */
  readonly gap?: number;
}

/**
 * Sets rows in aligned columns. Rows may be of different lengths; a missing cell is empty.
 *
 * @returns one line per row, without trailing spaces.
 */
export function renderTable(rows: readonly (readonly string[])[], options: TableOptions = {}): string[] {
  const align = options.align ?? ["left"];
  const gap = " ".repeat(options.gap ?? 3);
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  return rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, align[column] ?? "right"))
      .join(gap)
      .trimEnd(),
  );
}

function pad(cell: string, width: number, alignment: Alignment): string {
  const space = " ".repeat(width - displayWidth(cell));
  return alignment === "left" ? cell + space : space + cell;
}
