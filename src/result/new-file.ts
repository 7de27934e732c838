/** A file that is claimed before there is something to write: that it cannot be written is known at once. */

import { type FileHandle, open, rm } from "node:fs/promises";
import { describeFault, errorCode, StoreError } from "./store-error.ts";

export interface NewFile {
  /** Writes all of it. @throws StoreError with code `unsaved`. */
  write(text: string): Promise<void>;
  /** Nothing is going to be written. */
  discard(): Promise<void>;
}

/** @throws StoreError with code `exists` or `not-writable`. */
export async function claimFile(path: string): Promise<NewFile> {
  let file: FileHandle;
  try {
    file = await open(path, "wx");
  } catch (cause) {
    const code = errorCode(cause) === "EEXIST" ? "exists" : "not-writable";
    throw new StoreError(code, path, `Cannot write to '${path}': ${describeFault(cause)}`, "give another name", {
      cause,
    });
  }
  const discard = async (): Promise<void> => {
    await file.close().catch(() => undefined);
    await rm(path, { force: true }).catch(() => undefined);
  };
  return {
    discard,
    async write(text) {
      try {
        await file.writeFile(text);
        await file.close();
      } catch (cause) {
        await discard();
        const problem = `Cannot write to '${path}': ${describeFault(cause)}`;
        throw new StoreError("unsaved", path, problem, "the document can still be printed", { cause, json: text });
      }
    },
  };
}
