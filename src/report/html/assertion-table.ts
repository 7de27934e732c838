import type { AssertionOutcome } from "../../result/design-schema.ts";
import { nameText } from "./arm-name.ts";
import { dataTable } from "./data-table.ts";
import { type Html, html } from "./html.ts";

/** What was asserted of the result, the broken ones first. */
export function assertionTable(assertions: readonly AssertionOutcome[]): Html {
  const broken = assertions.filter(({ holds }) => !holds);
  const sorted = [...broken, ...assertions.filter(({ holds }) => holds)];
  return dataTable({
    caption:
      broken.length === 0
        ? "All assertions hold"
        : `${broken.length} of ${assertions.length} assertions ${broken.length === 1 ? "does" : "do"} not hold`,
    head: ["Assertion", { prose: "Arm" }, { prose: "Holds" }, { prose: "Values" }],
    rows: sorted.map(({ text, arm, holds, message }) => ({
      cells: [
        html`<code>${text}</code>`,
        { prose: nameText(arm === "" ? "all" : arm) },
        {
          prose: holds
            ? html`<span class="mark tone-good">✓ yes</span>`
            : html`<span class="mark tone-bad">✕ no</span>`,
        },
        { prose: message },
      ],
    })),
  });
}
