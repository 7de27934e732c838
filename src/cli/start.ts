/** Loads the program and runs it on this process. */

import process from "node:process";
import { LoadError, loadOrSay } from "../world/load-error.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

/** @returns the exit code; that of a failure, with a line on stderr, when the program could not be loaded. */
export async function start(): Promise<ExitCode> {
  try {
    // Here and not at the top, where a failure would be a stack trace of the runtime's.
    const { main } = await loadOrSay("the program", () => import("./main.ts"));
    const { processHost } = await loadOrSay("the program", () => import("./process-host.ts"));
    return await main(processHost());
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    process.stderr.write(`overload-bench: ${error.message}\n`);
    return EXIT.failed;
  }
}
