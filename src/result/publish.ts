/**
 * Writes whole files or none: the text goes to a temporary file in the same folder, is flushed to the disk, and gets its
 * name in one step.
 */

import { randomUUID } from "node:crypto";
import type { FileHandle, link, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "./store-error.ts";

/** The part of `node:fs/promises` that the store uses; tests hand in one that fails. */
export interface FileSystem {
  readonly link: typeof link;
  readonly lstat: typeof lstat;
  readonly mkdir: typeof mkdir;
  readonly open: typeof open;
  readonly rename: typeof rename;
  readonly rm: typeof rm;
}

/** Tries of a free name before it is an error; a bound, not a limit that a user meets. */
const NAMES_MAX = 1000;

/** Writes `text` to `path`, replacing what is there. */
export async function replaceFile(fs: FileSystem, path: string, text: string, mode: number): Promise<void> {
  const temporary = await writeTemporary(fs, dirname(path), text, mode);
  try {
    await fs.rename(temporary, path);
  } catch (error) {
    await discard(fs, temporary);
    throw error;
  }
}

/**
 * Writes `text` to a new file `<stem><extension>`, or `<stem>-2<extension>` and so on where that exists. No existing file
 * is ever touched, also when two programs do this at once.
 *
 * @returns the path of the new file.
 */
export async function publishFile(
  fs: FileSystem,
  stem: string,
  extension: string,
  text: string,
  mode: number,
): Promise<string> {
  const temporary = await writeTemporary(fs, dirname(stem), text, mode);
  try {
    for (const path of namesOf(stem, extension)) if (await nameExclusively(fs, temporary, path)) return path;
    throw allTaken(stem, extension);
  } finally {
    await discard(fs, temporary);
  }
}

/** Creates a new empty file with a name as {@link publishFile} gives them, to be written as time goes by. */
export async function createFile(
  fs: FileSystem,
  stem: string,
  extension: string,
  mode: number,
): Promise<{ readonly path: string; readonly file: FileHandle }> {
  for (const path of namesOf(stem, extension)) {
    try {
      return { path, file: await fs.open(path, "wx", mode) };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
  throw allTaken(stem, extension);
}

function* namesOf(stem: string, extension: string): Generator<string> {
  for (let number = 1; number <= NAMES_MAX; number++) {
    yield number === 1 ? stem + extension : `${stem}-${number}${extension}`;
  }
}

function allTaken(stem: string, extension: string): Error {
  return new Error(`all names up to ${stem}-${NAMES_MAX}${extension} are taken`);
}

/** Removes a file if it can: for what is of no use any more, where a failure must not hide what came before. */
export async function discard(fs: FileSystem, path: string): Promise<void> {
  await fs.rm(path, { force: true }).catch(() => undefined);
}

/** @returns false when `path` exists. */
async function nameExclusively(fs: FileSystem, temporary: string, path: string): Promise<boolean> {
  try {
    await fs.link(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
  }
  // File systems without hard links (FAT, some network mounts): claim the name with an empty file, then replace that.
  try {
    await (await fs.open(path, "wx")).close();
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    await fs.rename(temporary, path);
  } catch (error) {
    await discard(fs, path);
    throw error;
  }
  return true;
}

async function writeTemporary(fs: FileSystem, folder: string, text: string, mode: number): Promise<string> {
  const path = join(folder, `.overload-bench-${randomUUID()}.tmp`);
  const file = await fs.open(path, "wx", mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await file.close().catch(() => undefined);
    await discard(fs, path);
    throw error;
  }
  await file.close();
  return path;
}
