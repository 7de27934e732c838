import { findExecutable } from "../../bench/executables.ts";
import { flag, numberIn, type Tool } from "./tool.ts";

/** `-t` alone would end after 50,000 requests. */
const REQUESTS_MAX = 1_000_000;

/** ApacheBench, with all that makes it go on after an error (`-r`) and keep connections (`-k`). */
export const ab: Tool = {
  name: "ab",
  source: "apt: apache2-utils",
  loop: "closed",
  command({ url, connections, seconds, timeoutSeconds }) {
    const file = findExecutable("ab");
    const bounds = ["-t", `${seconds}`, "-n", `${REQUESTS_MAX}`, ...flag("-s", timeoutSeconds)];
    return file === undefined
      ? undefined
      : { file, args: ["-k", "-l", "-r", "-q", "-c", `${connections}`, ...bounds, url] };
  },
  read({ stdout }) {
    const complete = numberIn(stdout, /^Complete requests: +(\d+)/m);
    if (complete === undefined) return undefined;
    const failed = numberIn(stdout, /^Failed requests: +(\d+)/m) ?? 0;
    const otherStatuses = numberIn(stdout, /^Non-2xx responses: +(\d+)/m) ?? 0;
    return {
      ok: Math.max(0, complete - failed - otherStatuses),
      failed: failed + otherStatuses,
      meanMs: numberIn(stdout, /^Total: +\S+ +(\S+)/m),
      p50Ms: numberIn(stdout, /^ +50% +(\d+)/m),
      p99Ms: numberIn(stdout, /^ +99% +(\d+)/m),
      maxMs: numberIn(stdout, /^ *100% +(\d+)/m),
    };
  },
};
