/** The null server in a process of its own, on whatever processor is free: what the sentinel and `calibrate` ask. */

import { type ProgramProcess, programCommand, startProgram } from "./program-process.ts";

/**
 * Starts it on a free port of the loopback interface.
 *
 * @throws ProgramStartError when it does not get ready.
 */
export function startNullServer(): Promise<ProgramProcess> {
  const { command, args } = programCommand("null-server");
  return startProgram({ command, args: [...args, "--port", "0", "--exit-with-parent"] });
}
