import { renderTable } from "../../src/report/table.ts";

/** Prints rows in aligned columns, the first of words, the others of numbers. */
export function printTable(rows: readonly (readonly string[])[]): void {
  for (const line of renderTable(rows)) console.log(`  ${line}`);
}
