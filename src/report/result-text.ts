import type { Result } from "../result/schema.ts";
import { renderAb } from "./ab-text.ts";
import { renderCapacity } from "./capacity-text.ts";
import { renderRecovery } from "./recovery-text.ts";
import { renderRun } from "./run-text.ts";
import { renderSearchAlone } from "./search-alone-text.ts";
import { renderSweep } from "./sweep-text.ts";

/** The text of a result of any command, as that command itself prints it. */
export function renderResult(result: Result): string {
  const { command } = result;
  const search = renderSearchAlone(result);
  if (search !== undefined) return search;
  switch (command) {
    case "run":
      return renderRun(result);
    case "ab":
    case "demo":
      return renderAb(result);
    case "sweep":
      return renderSweep(result);
    case "capacity":
      return renderCapacity(result);
    case "recovery":
      return renderRecovery(result);
    default:
      return command satisfies never;
  }
}
