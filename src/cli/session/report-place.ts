/** Where a report may go: not onto what was measured, which cannot be made again. */

import { JOURNAL_EXTENSION } from "../../result/journals.ts";
import type { Host } from "../host.ts";

/**
 * Asks what stands there, not what it is called: a file has many paths.
 *
 * @throws RangeError where a document of this program, or a journal, is.
 */
export async function checkPlace(host: Host, path: string): Promise<void> {
  if (!path.endsWith(JOURNAL_EXTENSION) && !(await holdsDocument(host, path))) return;
  throw new RangeError(`'${path}' holds a result, which is never written over: give the report another name`);
}

async function holdsDocument(host: Host, path: string): Promise<boolean> {
  if (!(await host.isFile(path))) return false;
  try {
    const bytes = await host.readBytes(path);
    const document: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof document === "object" && document !== null && "schemaVersion" in document;
  } catch {
    return false;
  }
}
