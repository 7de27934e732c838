/** The journals that lie in a folder of results: each is of a run that goes on, or of one that was killed. */

import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { JournalLine } from "./journal-schema.ts";
import { isBeingWritten, readJournal } from "./read-journal.ts";
import { readResult } from "./read-result.ts";
import type { Result } from "./schema.ts";

export const JOURNAL_EXTENSION = ".journal.jsonl";

export interface Journals {
  /** Those in a folder, the one that was written last first. Empty when there is no such folder. */
  find(folder: string): Promise<readonly string[]>;
  /** Whether the run that writes it goes on. False also when it cannot be read: that is told when it is. */
  isBeingWritten(path: string): Promise<boolean>;
  /** See {@link readJournal}. */
  read(path: string): AsyncIterable<JournalLine>;
  /** Removes it, and what its run had saved of itself if all of that is in the recovered result. */
  remove(path: string, recovered?: Result): Promise<void>;
}

export const fileJournals: Journals = {
  find: findJournals,
  isBeingWritten,
  read: readJournal,
  async remove(path, recovered) {
    await rm(path, { force: true });
    if (recovered !== undefined) await removePartial(`${stemOfJournal(path)}.partial.json`, recovered);
  },
};

/** The path without its extension: what the run would have named its result by. */
export function stemOfJournal(path: string): string {
  return path.endsWith(JOURNAL_EXTENSION) ? path.slice(0, -JOURNAL_EXTENSION.length) : path;
}

async function findJournals(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith(JOURNAL_EXTENSION))
      .map(async (name) => {
        const path = join(folder, name);
        const found = await stat(path).catch(() => undefined);
        return { path, isFile: found?.isFile() === true, changedMs: found?.mtimeMs ?? 0 };
      }),
  );
  return found
    .filter(({ isFile }) => isFile)
    .toSorted((a, b) => b.changedMs - a.changedMs)
    .map(({ path }) => path);
}

async function removePartial(path: string, recovered: Result): Promise<void> {
  const partial = await readResult(path).catch(() => undefined);
  const covered = partial?.trials.every((trial) => recovered.trials.some((other) => isDeepStrictEqual(trial, other)));
  if (covered === true) await rm(path, { force: true });
}
