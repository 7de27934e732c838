/** Whether this process may open no more files: Bun says ECONNREFUSED also when it could not make a socket for lack of one. */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { currentRuntime } from "../runtime.ts";

const IS_TOLD = currentRuntime().name !== "bun";

/** The code of the lack (`EMFILE`, `ENFILE`), tried out just now; undefined when there is none, or the runtime tells itself. */
export function outOfFiles(): string | undefined {
  if (IS_TOLD) return undefined;
  try {
    closeSync(openSync(devNull, "r"));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EMFILE" || code === "ENFILE" ? code : undefined;
  }
}
