/** Reads a journal line by line, so that a long one needs no memory. */

import { Buffer } from "node:buffer";
import { type FileHandle, open, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { JOURNAL_VERSION, type JournalLine, journalLineSchema } from "./journal-schema.ts";
import { isRunning } from "./process-identity.ts";
import { describeIssue } from "./schema-issue.ts";
import { describeFault, StoreError } from "./store-error.ts";

const CHUNK_BYTES = 256 * 1024;
/** A trial that ended is one line, of some hundred kilobytes; a file with a longer one is something else. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** A running experiment writes every second or so: one on another machine that wrote this recently may still run. */
const RECENT_MS = 30_000;

/**
 * The lines of the journal at `path`. What follows the last line break is left out: that is how a kill in the middle of a
 * write ends a journal.
 *
 * @throws StoreError with code `not-readable`; `wrong-version`; `broken-journal` when a line is not as it should be.
 */
export async function* readJournal(path: string): AsyncGenerator<JournalLine> {
  let number = 0;
  for await (const text of linesOf(path)) {
    number += 1;
    const line = parseLine(text, path, number);
    if ((number === 1) !== (line.kind === "header")) {
      throw brokenJournal(
        path,
        number,
        number === 1 ? "a journal begins with its header" : "a header has no place here",
      );
    }
    yield line;
  }
}

/** @returns false also when the file cannot be read or is no journal: that is told when it is read. */
export async function isBeingWritten(path: string): Promise<boolean> {
  try {
    for await (const line of readJournal(path)) {
      if (line.kind !== "header") return false;
      if (line.writer.host === hostname()) return await isRunning(line.writer);
      return Date.now() - (await stat(path)).mtimeMs < RECENT_MS;
    }
  } catch {
    // Neither a journal nor in use.
  }
  return false;
}

function parseLine(text: string, path: string, number: number): JournalLine {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw brokenJournal(path, number, describeFault(cause), cause);
  }
  if (number === 1) checkVersion(document, path);
  const parsed = journalLineSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  throw brokenJournal(path, number, describeIssue(parsed.error));
}

function checkVersion(document: unknown, path: string): void {
  const isObject = typeof document === "object" && document !== null;
  const version: unknown = isObject && "journalVersion" in document ? document.journalVersion : undefined;
  if (version === undefined || version === JOURNAL_VERSION) return;
  const problem = `Cannot read '${path}' as its journalVersion is ${JSON.stringify(version)}, this program reads ${JOURNAL_VERSION}`;
  throw new StoreError("wrong-version", path, problem, "use the version of overload-bench that wrote it");
}

/** That its counts do not add up, say, shows only when they are added. @param why what is wrong with the line. */
export function brokenJournal(path: string, line: number, why: string, cause?: unknown): StoreError {
  const problem = `Cannot read '${path}' as line ${line} is not one of a journal: ${why}`;
  return new StoreError("broken-journal", path, problem, "name a journal as overload-bench writes it", { cause });
}

/** Text up to each line break. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    let number = 1;
    let rest = Buffer.alloc(0);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let from = 0;
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
        yield rest.toString("utf8", from, end);
        from = end + 1;
        number += 1;
      }
      rest = rest.subarray(from);
      if (rest.length > LINE_BYTES_MAX) throw brokenJournal(path, number, `it is longer than ${LINE_BYTES_MAX} bytes`);
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const problem = `Cannot read '${path}': ${describeFault(cause)}`;
    throw new StoreError("not-readable", path, problem, "check the path", { cause });
  } finally {
    await file?.close();
  }
}
