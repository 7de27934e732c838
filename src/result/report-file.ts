/**
 * Reports as files. Unlike a result they can be made again, so one that is there is replaced, in one step; a result or a journal
 * never is, whatever it is called.
 */

import * as nodeFs from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { discard, type FileSystem, publishFile, replaceFile } from "./publish.ts";
import { describeFault, StoreError } from "./store-error.ts";

const MODE = 0o666;
/** What a result or a journal has in its first line or two. */
const HEAD_BYTES = 512;
const OF_A_RESULT = /^\uFEFF?\s*\{[\s\S]*"(?:schemaVersion|journalVersion|comparisonVersion)"/u;

/** Where reports go: files, and what a CI system collects. */
export interface ReportFiles {
  /**
   * Checks, before anything is measured, that a report can be written there.
   *
   * @throws StoreError with code `not-writable`, or `exists` for what no report may replace.
   */
  prepare(path: string): Promise<void>;
  /** The path without symbolic links: equal for two names of one file, whether or not it is there. */
  placeOf(path: string): Promise<string>;
  /** @throws StoreError with code `not-writable` or `exists`: the old file, if there is one, is as it was. */
  write(path: string, text: string): Promise<void>;
  /** Adds to the end of a file that somebody else may have begun. @throws StoreError with code `not-writable`. */
  append(path: string, text: string): Promise<void>;
}

export function fileReports(fs: FileSystem = nodeFs): ReportFiles {
  return {
    prepare: (path) => told(path, () => probe(fs, path)),
    placeOf,
    write: (path, text) => told(path, () => replaceOrFill(fs, path, text)),
    append: (path, text) => told(path, () => put(fs, path, "a", text)),
  };
}

async function probe(fs: FileSystem, path: string): Promise<void> {
  if ((await kindOf(fs, path)) !== "replaceable") return;
  await discard(fs, await publishFile(fs, `${path}.probe`, ".tmp", "probe\n", MODE));
}

/** What is no plain file, such as `/dev/stdout` or a pipe, cannot be replaced: it is written to. */
async function replaceOrFill(fs: FileSystem, path: string, text: string): Promise<void> {
  if ((await kindOf(fs, path)) === "replaceable") await replaceFile(fs, path, text, MODE);
  else await put(fs, path, "w", text);
}

/** @throws StoreError for a result, and an error of the file system for a folder. */
async function kindOf(fs: FileSystem, path: string): Promise<"replaceable" | "fillable"> {
  // Through a link, as it is written to.
  const before = await nodeFs.stat(path).catch(() => undefined);
  if (before?.isDirectory() === true) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
  if (before?.isFile() === true && OF_A_RESULT.test(await headOf(fs, path))) {
    const problem = `Cannot write a report to '${path}' as it holds a result, which is never overwritten`;
    throw new StoreError("exists", path, problem, "give the report another name");
  }
  const link = await fs.lstat(path).catch(() => undefined);
  return link === undefined || link.isFile() ? "replaceable" : "fillable";
}

async function headOf(fs: FileSystem, path: string): Promise<string> {
  const file = await fs.open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Of a file that is not there yet, as far as its folders are. */
async function placeOf(path: string): Promise<string> {
  const whole = resolve(path);
  const folder = dirname(whole);
  const real = await nodeFs.realpath(whole).catch(() => undefined);
  if (real !== undefined || folder === whole) return real ?? whole;
  return join(await placeOf(folder), basename(whole));
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
    if (cause instanceof StoreError) throw cause;
    const problem = `Cannot write to '${path}': ${describeFault(cause)}`;
    throw new StoreError("not-writable", path, problem, "check the folder", { cause });
  }
}
