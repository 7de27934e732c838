/** Whether this process may open no more files. */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { currentRuntime } from "../runtime.ts";
import { faultOf } from "./faults.ts";
import { monotonicSeconds } from "./monotonic.ts";

/** Bun says ECONNREFUSED also when it could not make a socket for lack of a file. */
const IS_TOLD = currentRuntime().name !== "bun";

/** An answer is good for this long: thousands of refusals a second, which is what overload looks like, ask once. */
const GOOD_SECONDS = 0.01;
let answer: string | undefined;
let askedSeconds = Number.NEGATIVE_INFINITY;

/**
 * The code of the lack (`EMFILE`, `ENFILE`) that made a connection fail; undefined when it was something else. Where the
 * runtime does not tell, whether a file can be opened was tried out a moment ago.
 *
 * @param errorCode with which the connection failed.
 */
export function lackOfFiles(errorCode: string): string | undefined {
  if (errorCode === "EMFILE" || errorCode === "ENFILE") return errorCode;
  if (IS_TOLD || faultOf(errorCode) !== "refused") return undefined;
  const now = monotonicSeconds();
  if (now - askedSeconds > GOOD_SECONDS) {
    askedSeconds = now;
    answer = tryOut();
  }
  return answer;
}

function tryOut(): string | undefined {
  try {
    closeSync(openSync(devNull, "r"));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EMFILE" || code === "ENFILE" ? code : undefined;
  }
}
