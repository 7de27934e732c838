/** What the readers of a trial should know about its connections, beside their counts. */

import type { Reason } from "../../result/schema.ts";

/**
 * @param renewalsFailed how often the target's name, known before, could not be looked up again.
 * @param notOpened connections that were to stand open at the start and did not.
 */
export function connectionRemarks(renewalsFailed: number, notOpened: number): readonly Reason[] {
  return [
    ...(renewalsFailed > 0 ? [renewalsReason(renewalsFailed)] : []),
    ...(notOpened > 0 ? [notOpenedReason(notOpened)] : []),
  ];
}

function renewalsReason(count: number): Reason {
  return {
    code: "name-lookup",
    severity: "note",
    message: `The target's name could not be looked up again ${count} times: the addresses known before were used on`,
    figure: count,
    limit: 0,
    hint: "Look at DNS, or give the addresses with --resolve",
  };
}

function notOpenedReason(count: number): Reason {
  return {
    code: "connections-ahead",
    severity: "suspect",
    message: `${count} of the connections that were to stand open before the first arrival could not be opened`,
    figure: count,
    limit: 0,
    hint: "Lower --connections, raise `ulimit -n`, or look whether the target takes so many",
  };
}
