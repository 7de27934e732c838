/** Whether this process may open no more files: Bun says ECONNREFUSED also when it could not make a socket for lack of one. */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { currentRuntime } from "../runtime.ts";
import { monotonicSeconds } from "./monotonic.ts";

const IS_TOLD = currentRuntime().name !== "bun";

/** An answer is good for this long: thousands of refusals a second, which is what overload looks like, ask once. */
const GOOD_SECONDS = 0.01;
let answer: string | undefined;
let askedSeconds = Number.NEGATIVE_INFINITY;

/** The code of the lack (`EMFILE`, `ENFILE`), tried out a moment ago; undefined when there is none, or the runtime tells itself. */
export function outOfFiles(): string | undefined {
  if (IS_TOLD) return undefined;
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
