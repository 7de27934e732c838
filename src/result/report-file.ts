/** Reports as files. Unlike a result they can be made again, so one that is there is replaced, in one step. */

import * as nodeFs from "node:fs/promises";
import { type FileSystem, replaceFile } from "./publish.ts";
import { describeFault, StoreError } from "./store-error.ts";

const MODE = 0o666;

/** Where reports go: files, and what a CI system collects. */
export interface ReportFiles {
  /** @throws StoreError with code `not-writable`: the old file, if there is one, is as it was. */
  write(path: string, text: string): Promise<void>;
  /** Adds to the end of a file that somebody else may have begun. @throws StoreError with code `not-writable`. */
  append(path: string, text: string): Promise<void>;
}

export function fileReports(fs: FileSystem = nodeFs): ReportFiles {
  return {
    write: (path, text) => told(path, () => replaceOrFill(fs, path, text)),
    append: (path, text) => told(path, () => put(fs, path, "a", text)),
  };
}

/** What is no plain file, such as `/dev/stdout` or a pipe, cannot be replaced: it is written to. */
async function replaceOrFill(fs: FileSystem, path: string, text: string): Promise<void> {
  const before = await fs.lstat(path).catch(() => undefined);
  if (before?.isDirectory() === true) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
  if (before === undefined || before.isFile()) await replaceFile(fs, path, text, MODE);
  else await put(fs, path, "w", text);
}

async function put(fs: FileSystem, path: string, flags: "a" | "w", text: string): Promise<void> {
  const file = await fs.open(path, flags, MODE);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

async function told(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const problem = `Cannot write to '${path}': ${describeFault(cause)}`;
    throw new StoreError("not-writable", path, problem, "check the folder", { cause });
  }
}
