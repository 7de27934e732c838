/** What was asserted of a result, and whether it holds, as text. */

import type { AssertionOutcome } from "../result/design-schema.ts";
import { page } from "./page.ts";
import { wrap } from "./wrap.ts";

const INDENT = " ".repeat(10);

/** A head and two lines for each assertion: `FAIL`, what was asserted, and its values. Empty where nothing was. */
export function renderAssertions(assertions: readonly AssertionOutcome[]): string {
  if (assertions.length === 0) return "";
  const failed = assertions.filter(({ holds }) => !holds).length;
  const count = assertions.length === 1 ? "1 assertion" : `${assertions.length} assertions`;
  const head = failed === 0 ? `${count}, all hold` : `${count}, ${failed} failed`;
  return page([
    "",
    `Assertions: ${head}`,
    ...assertions.flatMap(({ text, arm, holds, message }) => [
      ...wrap(`${text}${arm === "" ? "" : `  [${arm}]`}`, holds ? "  PASS    " : "  FAIL    ", INDENT),
      ...wrap(message, INDENT),
    ]),
  ]);
}
