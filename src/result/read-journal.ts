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
/** A header has the resolved options. */
const HEADER_BYTES_MAX = 1024 * 1024;
/** A running experiment writes every second or so: where only its file tells, one that wrote this recently may still run. */
const RECENT_MS = 30_000;

/**
 * The lines of the journal at `path`. What follows the last line break is left out: that is how a kill in the middle of a
 * write ends a journal.
 *
 * @throws StoreError with code `not-readable`; `wrong-version`; `broken-journal` when a line is not as it should be.
 */
export async function* readJournal(path: string, lineBytesMax: number = LINE_BYTES_MAX): AsyncGenerator<JournalLine> {
  let number = 0;
  for await (const text of linesOf(path, lineBytesMax)) {
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
    for await (const line of readJournal(path, HEADER_BYTES_MAX)) {
      if (line.kind !== "header") return false;
      if (line.writer.host === hostname()) return await isRunning(line.writer);
      return await isRecent(path);
    }
    // Without a header: it was made a moment ago, or its run was killed in that moment.
    return await isRecent(path);
  } catch {
    // Neither a journal nor in use.
  }
  return false;
}

async function isRecent(path: string): Promise<boolean> {
  return Date.now() - (await stat(path)).mtimeMs < RECENT_MS;
}

function parseLine(text: string, path: string, number: number): JournalLine {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw brokenJournal(path, number, number === 1 ? "it is no journal" : "it is not JSON", cause);
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

/** Text up to each line break. @param lineBytesMax a longer line is refused. */
async function* linesOf(path: string, lineBytesMax: number): AsyncGenerator<string> {
  let file: FileHandle | undefined;
  try {
    // Opening a pipe would wait for somebody to write into it.
    if (!(await stat(path)).isFile()) throw notReadable(path, "it is no regular file");
    file = await open(path);
    let number = 1;
    let begun: Buffer[] = [];
    let begunBytes = 0;
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      let from = 0;
      for (let end = chunk.indexOf("\n"); end >= 0 && end < bytesRead; end = chunk.indexOf("\n", from)) {
        yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString("utf8");
        begun = [];
        begunBytes = 0;
        from = end + 1;
        number += 1;
      }
      begun.push(chunk.subarray(from, bytesRead));
      begunBytes += bytesRead - from;
      if (begunBytes > lineBytesMax) throw brokenJournal(path, number, `it is longer than ${lineBytesMax} bytes`);
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw notReadable(path, describeFault(cause), cause);
  } finally {
    await file?.close();
  }
}

function notReadable(path: string, why: string, cause?: unknown): StoreError {
  return new StoreError("not-readable", path, `Cannot read '${path}': ${why}`, "check the path", { cause });
}
