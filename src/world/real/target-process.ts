/** The built-in target in a process of its own, on a processor of its own where the machine has one to spare. */

import {
  type ProgramCommand,
  type ProgramProcess,
  ProgramStartError,
  programCommand,
  startProgram,
} from "./program-process.ts";
import { boundTo, spareProcessor } from "./spare-processor.ts";
import { warmTarget } from "./warm-target.ts";

export interface TargetOptions {
  /** The target's own settings in one value, such as `shed:acceptMs=1,rejectMs=0.3,queue=50`. */
  readonly spec: string;
  /** What is to change at the target during each trial, in the syntax of src/plan/script.ts. Default nothing. */
  readonly script?: string;
  /** Bind the target to one processor (Linux, `taskset`). */
  readonly pin: boolean;
  /** True once nobody waits for the target any more. */
  stopRequested(): boolean;
}

/** The target refused its settings. The message is the target's own line. */
export class TargetUsageError extends Error {
  override readonly name: string = "TargetUsageError";
}

export interface TargetProcess extends Omit<ProgramProcess, "said"> {
  /** The processor that it is bound to; undefined when it is free. */
  readonly processor: number | undefined;
}

/** Exit code of a target that refused its settings. */
const EXIT_USAGE = 2;

/** The targets that a user can start by name, and their programs in the folder `targets`. */
const PROGRAMS = {
  overloadable: "overloadable",
  nginx: "nginx",
  haproxy: "haproxy",
  null: "null-server",
} as const;

export type TargetName = keyof typeof PROGRAMS;

/** The command that starts a target's program on this runtime. */
export function targetCommand(name: TargetName): ProgramCommand {
  return programCommand(PROGRAMS[name]);
}

/**
 * Starts the target on a free port of the loopback interface.
 *
 * @throws TargetUsageError when it refuses its settings; Error with what it said when it does not get ready.
 */
export async function startTarget(options: TargetOptions): Promise<TargetProcess> {
  const { command, args } = targetCommand("overloadable");
  const processor = options.pin ? spareProcessor() : undefined;
  const script = options.script === undefined ? [] : [`--script=${options.script}`];
  const full = [...args, "--port", "0", "--exit-with-parent", ...script, options.spec];
  const { url, pid, died, said, stop, kill } = await started(boundTo(processor, { command, args: full }));
  try {
    await warmTarget(url, options.stopRequested);
  } catch (error) {
    await stop();
    throw new Error(`The built-in target did not answer (${died() ?? (error as Error).message}). ${said()}`.trim());
  }
  return { url, pid, processor, died, stop, kill };
}

async function started(program: ProgramCommand): Promise<ProgramProcess> {
  try {
    return await startProgram(program);
  } catch (error) {
    if (!(error instanceof ProgramStartError)) throw error;
    if (error.exitCode === EXIT_USAGE) throw new TargetUsageError(error.said);
    throw new Error(`The built-in target did not get ready (${error.why}). ${error.said}`.trim());
  }
}
