/** Other load generators, started as their own users would, where they are installed. */

import { type ChildProcess, spawn } from "node:child_process";
import { findExecutable } from "./executables.ts";

export interface OtherLoad {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second over all connections; undefined: each connection as fast as it is answered. */
  readonly rps: number | undefined;
}

interface OtherGenerator {
  readonly name: string;
  /** Undefined for a load that it cannot make. */
  args(load: OtherLoad): readonly string[] | undefined;
}

/** What a rate per connection must be for the sum of them. Some take whole numbers only. */
const share = ({ rps = 0, connections }: OtherLoad): number => rps / connections;

export const OTHER_GENERATORS: readonly OtherGenerator[] = [
  {
    name: "autocannon",
    args: (load) => [
      ...["--no-progress", "-c", `${load.connections}`, "-d", `${load.seconds}`],
      ...(load.rps === undefined ? [] : ["-R", `${load.rps}`]),
      load.url,
    ],
  },
  {
    name: "hey",
    args: (load) => [
      ...["-c", `${load.connections}`, "-z", `${load.seconds}s`],
      ...(load.rps === undefined ? [] : ["-q", `${share(load)}`]),
      load.url,
    ],
  },
  {
    name: "h2load",
    args: (load) => [
      ...["--h1", "-c", `${load.connections}`, "-D", `${load.seconds}`],
      ...(load.rps === undefined ? [] : ["--rps", `${share(load)}`]),
      load.url,
    ],
  },
  {
    name: "wrk2",
    args: (load) =>
      load.rps === undefined
        ? undefined
        : ["-t1", `-c${load.connections}`, `-d${load.seconds}s`, `-R${load.rps}`, load.url],
  },
  {
    name: "wrk",
    args: (load) =>
      load.rps === undefined ? ["-t1", `-c${load.connections}`, `-d${load.seconds}s`, load.url] : undefined,
  },
];

export interface RunningOther {
  readonly pid: number;
  readonly ended: Promise<void>;
}

/** @returns why it did not start, where it did not. */
export function startOther({ name, args }: OtherGenerator, load: OtherLoad): RunningOther | "not installed" | "cannot" {
  const given = args(load);
  if (given === undefined) return "cannot";
  const executable = findExecutable(name);
  if (executable === undefined) return "not installed";
  const child: ChildProcess = spawn(executable, given, { stdio: "ignore" });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
  return { pid: child.pid as number, ended };
}
