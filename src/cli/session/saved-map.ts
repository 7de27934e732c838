/** The map of a recovery that was killed in it: its trials are in no journal, what was found so far is in the partial result. */

import { isDeepStrictEqual } from "node:util";
import { stemOfJournal } from "../../result/journals.ts";
import { parseResult } from "../../result/read-result.ts";
import type { Result } from "../../result/schema.ts";
import type { Host } from "../host.ts";

/**
 * The recovered result with that map, which makes it a partial one.
 *
 * @param path of its journal.
 */
export async function withSavedMap(host: Pick<Host, "readBytes">, path: string, result: Result): Promise<Result> {
  const { recovery, trials } = result;
  if (recovery === undefined) return result;
  const saved = await readSaved(host, `${stemOfJournal(path)}.partial.json`);
  const map = saved?.recovery?.map;
  const isOfIt = saved?.trials.every((trial) => trials.some((other) => isDeepStrictEqual(trial, other))) === true;
  return map === undefined || !isOfIt ? result : { ...result, partial: true, recovery: { ...recovery, map } };
}

/** @returns undefined where there is none that can be read. */
async function readSaved(host: Pick<Host, "readBytes">, path: string): Promise<Result | undefined> {
  try {
    return parseResult(new TextDecoder().decode(await host.readBytes(path)), path);
  } catch {
    return undefined;
  }
}
