/** Journals that runs left behind when they were killed. */

import { dirname } from "node:path";
import type { Services } from "../services.ts";

export const RESULTS_FOLDER = "results";
/** Journals told of at the start of a run: more would hide what else is said there. */
const TOLD_MAX = 3;

/** Tells of journals that runs before this one left in the folder of its result. */
export async function tellOfJournals(
  services: Services,
  output: string | undefined,
  note: (text: string) => void,
): Promise<void> {
  const left = await leftBehind(services, output === undefined ? RESULTS_FOLDER : dirname(output));
  for (const path of left.slice(0, TOLD_MAX)) {
    note(`${path} is of a run that was killed: overload-bench recover ${path}, or continue it with --resume`);
  }
  if (left.length > TOLD_MAX) note(`So are ${left.length - TOLD_MAX} more journals beside it`);
}

/** The journals that no run is writing, the newest first. */
export async function leftBehind({ journals }: Services, folder: string): Promise<readonly string[]> {
  const paths = await journals.find(folder);
  const written = await Promise.all(paths.map((path) => journals.isBeingWritten(path)));
  return paths.filter((_, index) => written[index] === false);
}
