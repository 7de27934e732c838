/** Other load generators, started as their own users would, where they are installed. */

import { type ChildProcess, spawn } from "node:child_process";
import os from "node:os";
import { autocannon } from "../conformance/tools/autocannon.ts";
import { h2load } from "../conformance/tools/h2load.ts";
import { hey } from "../conformance/tools/hey.ts";
import type { Tool, ToolLoad } from "../conformance/tools/tool.ts";
import { wrk } from "../conformance/tools/wrk.ts";
import { findExecutable } from "./executables.ts";

export type OtherLoad = Omit<ToolLoad, "timeoutSeconds">;
type OtherGenerator = Pick<Tool, "name" | "loop" | "command">;

/** Knows nothing but rates. */
const wrk2: OtherGenerator = {
  name: "wrk2",
  loop: "open",
  command({ url, connections, seconds, rps }) {
    const file = findExecutable("wrk2");
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, `-R${rps}`, url];
    return file === undefined ? undefined : { file, args };
  },
};

export const OTHER_GENERATORS: readonly OtherGenerator[] = [autocannon, hey, h2load, wrk2, wrk];

export interface RunningOther {
  readonly pid: number;
  readonly ended: Promise<void>;
}

/** @returns why it did not start, where it did not. */
export function startOther(generator: OtherGenerator, load: OtherLoad): RunningOther | "not installed" | "cannot" {
  if (generator.loop === (load.rps === undefined ? "open" : "closed")) return "cannot";
  const command = generator.command({ ...load, timeoutSeconds: undefined }, os.tmpdir());
  if (command === undefined) return "not installed";
  const child: ChildProcess = spawn(command.file, command.args, { stdio: "ignore" });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
  return { pid: child.pid as number, ended };
}
