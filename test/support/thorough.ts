import { currentRuntime } from "../../src/world/runtime.ts";

/**
 * True on the runtime that runs everything. Tests of what the runtimes share, each of some seconds of a real run, are run whole there
 * and in part, or not, on the others: the suite has an end on a small machine.
 */
export const IS_THOROUGH: boolean = currentRuntime().name === "bun";
