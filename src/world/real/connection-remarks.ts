/** What the readers of a trial should know about its connections, beside their counts. */

import type { Reason } from "../../result/schema.ts";

/**
 * @param renewalsFailed how often the target's name, known before, could not be looked up again.
 * @param notOpened connections that were to stand open at the start and did not.
 * @param lackedFiles connections that could not be opened because this process had no file left.
 */
export function connectionRemarks(renewalsFailed: number, notOpened: number, lackedFiles: number): readonly Reason[] {
  return [
    ...(renewalsFailed > 0 ? [renewalsReason(renewalsFailed)] : []),
    ...(notOpened > 0 ? [notOpenedReason(notOpened, lackedFiles > 0)] : []),
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

/** The target may take no more: that is a finding. What this process may open is a limit of the generator. */
function notOpenedReason(count: number, outOfFiles: boolean): Reason {
  return {
    code: "connections-ahead",
    severity: outOfFiles ? "invalid" : "suspect",
    message: `${count} of the connections that were to stand open before the first arrival could not be opened${outOfFiles ? ": this process may open no more files" : ""}`,
    figure: count,
    limit: 0,
    hint: outOfFiles
      ? "Raise `ulimit -n`, or lower --connections"
      : "Lower --connections, or look whether the target takes so many",
  };
}
