/** Puts the result of an experiment together from its journal, after the program that ran it was killed. */

import { ConservationError } from "../engine/conservation.ts";
import { governorOfRow } from "../engine/governed-record.ts";
import { gainOfLine } from "../engine/journal-line.ts";
import { PartRecovery } from "../engine/recovered-part.ts";
import { trialRecord } from "../engine/trial-record.ts";
import { withReason } from "../engine/validity.ts";
import type { JournalHeader, JournalLine, JournalStarted } from "../result/journal-schema.ts";
import { brokenJournal } from "../result/read-journal.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { stoppedBy } from "./early-stop.ts";
import { withSearch } from "./found-capacity.ts";
import { type Compare, withTrials } from "./with-trials.ts";

/** The trial that began last, when it has not ended as far as the journal goes. Simulations have no seconds to recover. */
interface Unended {
  readonly started: JournalStarted;
  readonly recovery: PartRecovery;
}

/**
 * @param path of the journal, for errors.
 * @param compare see {@link withTrials}.
 * @returns the result, partial unless all trials of the experiment ended, or all that it took to decide; undefined when the journal ends before anything
 *   was measured.
 * @throws StoreError with code `broken-journal` when lines do not follow from each other, or do not add up.
 */
export async function recoverResult(
  path: string,
  lines: AsyncIterable<JournalLine>,
  compare?: Compare,
): Promise<Result | undefined> {
  let header: JournalHeader | undefined;
  let unended: Unended | undefined;
  let seeks = false;
  let trials: TrialResult[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    switch (line.kind) {
      case "header":
        header = line;
        seeks = line.seeks !== undefined;
        break;
      case "planned":
        if (!seeks || header === undefined) throw brokenJournal(path, number, "no capacity was looked for");
        header = { ...header, result: line.result };
        seeks = false;
        // They stand in the result of the line.
        trials = [];
        unended = undefined;
        break;
      case "trial":
        unended = begin(line);
        break;
      case "second":
        if (unended === undefined) throw brokenJournal(path, number, "no trial has started");
        refusing(path, number, () => unended?.recovery.add(gainOfLine(line)));
        break;
      case "ended":
        trials.push(line.trial);
        unended = undefined;
        break;
      default:
        return line satisfies never;
    }
  }
  // Not even that: a file that is something else, or of a run that was killed as it began.
  if (header === undefined) throw brokenJournal(path, 1, "it has no header, so nothing is known of a run");
  const cut = unended === undefined ? undefined : refusing(path, number, () => finish(unended as Unended));
  if (cut !== undefined) trials.push(cut);
  const { result } = header;
  if (trials.length === 0 && result.capacity === undefined) return undefined;
  if (seeks) return withSearch(result, trials);
  return withTrials(result, trials, stoppedBy(result.design, trials), compare);
}

function begin(started: JournalStarted): Unended {
  const { warmupSeconds, durationSeconds } = started.spec.plan;
  return { started, recovery: new PartRecovery(warmupSeconds, durationSeconds) };
}

/** The trial as far as it is known; undefined when nothing was told of it. */
function finish({ started, recovery }: Unended): TrialResult | undefined {
  const part = recovery.part();
  if (part === undefined) return undefined;
  const { governor, ...spec } = started.spec;
  const governed = governor === undefined ? {} : { governor: governorOfRow(governor) };
  const trial = trialRecord({ ...spec, ...governed }, started.planned, part);
  return { ...trial, validity: started.remarks.reduce(withReason, trial.validity) };
}

function refusing<T>(path: string, line: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError || error instanceof ConservationError) {
      throw brokenJournal(path, line, error.message, error);
    }
    throw error;
  }
}
