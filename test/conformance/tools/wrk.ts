import { findExecutable } from "../../bench/executables.ts";
import { flag, millisecondsIn, numberIn, type Tool } from "./tool.ts";

export const wrk: Tool = {
  name: "wrk",
  source: "apt: wrk",
  loop: "closed",
  command({ url, connections, seconds, timeoutSeconds }) {
    const file = findExecutable("wrk");
    const timeout = flag("--timeout", timeoutSeconds);
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, ...timeout, "--latency", url];
    return file === undefined ? undefined : { file, args };
  },
  read({ stdout }) {
    const requests = numberIn(stdout, /^ +(\d+) requests in /m);
    if (requests === undefined) return undefined;
    const otherStatuses = numberIn(stdout, /Non-2xx or 3xx responses: (\d+)/) ?? 0;
    const [, connect, read, write, timeout] =
      /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout)?.map(Number) ?? [];
    return {
      ok: requests - otherStatuses,
      failed: otherStatuses + (connect ?? 0) + (read ?? 0) + (write ?? 0) + (timeout ?? 0),
      meanMs: millisecondsIn(stdout, /^ +Latency +([\d.]+)(\w+)/m),
      p50Ms: millisecondsIn(stdout, /^ +50% +([\d.]+)(\w+)/m),
      p99Ms: millisecondsIn(stdout, /^ +99% +([\d.]+)(\w+)/m),
      maxMs: millisecondsIn(stdout, /^ +Latency +\S+ +\S+ +([\d.]+)(\w+)/m),
    };
  },
};
