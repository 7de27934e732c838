/** Keeps the journal of an experiment under way, and says where it is when the experiment does not come to its end. */

import { governorRow } from "../../engine/governed-record.ts";
import { lineOfGain } from "../../engine/journal-line.ts";
import type { TrialGain } from "../../engine/trial-gain.ts";
import type { ExperimentEvent } from "../../experiment/experiment.ts";
import type { Journal } from "../../result/journal-file.ts";
import type { WrittenLine } from "../../result/journal-schema.ts";
import type { Result, TrialResult } from "../../result/schema.ts";
import type { ExperimentHeader, ResultStore } from "../../result/store.ts";
import type { Progress } from "../live/progress.ts";

export class JournalKeeper {
  readonly #progress: Progress;
  #journal: Journal | undefined;
  /** Whether there is anything in it to recover. */
  #holdsFigures = false;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  async begin(store: ResultStore, header: ExperimentHeader): Promise<void> {
    this.#journal = await store.startJournal(header, (why) => {
      this.#progress.note(`The journal ${why}: should this run be killed, what comes now is lost`);
    });
  }

  /** The capacity has been found, and the experiment planned. @param result without a trial of it. */
  planned(result: Result): void {
    this.#journal?.append({ kind: "planned", result });
  }

  /** What an earlier run had measured: after this one it is nowhere else. */
  kept(trials: readonly TrialResult[]): void {
    for (const trial of trials) this.#journal?.append({ kind: "ended", trial });
  }

  happened(event: ExperimentEvent): void {
    this.#journal?.append(lineOf(event));
    if (event.kind === "trialEnded") this.#holdsFigures = true;
  }

  gained(gain: TrialGain): void {
    this.#journal?.append(lineOfGain(gain));
    this.#holdsFigures = true;
  }

  /** The result has been saved, or there is none: the journal has served its purpose. */
  async remove(): Promise<void> {
    const journal = this.#journal;
    // First: a program that is ended meanwhile is not to send anyone to it.
    this.#journal = undefined;
    await journal?.remove();
  }

  /** The experiment ended without a saved result. @returns true when what was measured is in the journal. */
  async leave(): Promise<boolean> {
    const journal = this.#journal;
    if (journal === undefined) return false;
    if (!this.#holdsFigures) {
      await this.remove();
      return false;
    }
    this.#journal = undefined;
    await journal.close();
    this.#tell(journal.path, journal.isWhole ? "What" : "The first part of what");
    return true;
  }

  /** The same for a process that ends at once. */
  abandon(): void {
    const journal = this.#journal;
    this.#journal = undefined;
    if (journal === undefined) return;
    if (!this.#holdsFigures) {
      void journal.remove();
      return;
    }
    journal.flush();
    this.#tell(journal.path, "What");
  }

  #tell(path: string, what: string): void {
    this.#progress.note(`${what} was measured so far is in the journal: overload-bench recover ${path}`);
  }
}

function lineOf(event: ExperimentEvent): WrittenLine {
  switch (event.kind) {
    case "trialStarts": {
      const { spec, planned, remarks } = event;
      const { arm, pair, policy, maxInFlight, late, workers, plan, world, governor } = spec;
      const { seed, warmupSeconds, durationSeconds } = plan;
      return {
        kind: "trial",
        planned,
        // Field by field: the rest of the specification may hold secrets.
        spec: {
          arm,
          pair,
          policy: { name: policy.name, options: { ...policy.options } },
          plan: { seed, warmupSeconds, durationSeconds },
          world: { kind: world.kind },
          maxInFlight,
          late,
          workers,
          ...(governor === undefined ? {} : { governor: governorRow(governor) }),
        },
        remarks: [...remarks],
      };
    }
    case "trialEnded":
      return { kind: "ended", trial: event.trial };
    default:
      return event satisfies never;
  }
}
