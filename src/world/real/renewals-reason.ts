/** The remark on a trial whose target's name could not always be looked up again. */

import type { Reason } from "../../result/schema.ts";

export function renewalsReason(count: number): Reason {
  return {
    code: "name-lookup",
    severity: "note",
    message: `The target's name could not be looked up again ${count} times: the addresses known before were used on`,
    figure: count,
    limit: 0,
    hint: "Look at DNS, or give the addresses with --resolve",
  };
}
