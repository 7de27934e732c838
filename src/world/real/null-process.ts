/** The null server in a process of its own: what the sentinel and `calibrate` ask. */

import { type ProgramProcess, programCommand, startProgram } from "./program-process.ts";
import { boundTo, spareProcessor } from "./spare-processor.ts";

/**
 * Starts it on a free port of the loopback interface.
 *
 * @param pin binds it to a processor of its own, as a target under load; else it runs on whatever processor is free.
 * @throws ProgramStartError when it does not get ready.
 */
export function startNullServer(pin: boolean): Promise<ProgramProcess> {
  const { command, args } = programCommand("null-server");
  const program = { command, args: [...args, "--port", "0", "--exit-with-parent"] };
  return startProgram(boundTo(pin ? spareProcessor() : undefined, program));
}
