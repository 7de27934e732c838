import { findExecutable } from "../../bench/executables.ts";
import { flag, millisecondsIn, perConnection, type Tool } from "./tool.ts";

const TIMES = /time for request: +[\d.]+\w+ +([\d.]+)(\w+)/;

/** Its summary has no percentiles. */
export const h2load: Tool = {
  name: "h2load",
  source: "apt: nghttp2-client",
  loop: "capped",
  command(load) {
    const { url, connections, seconds, timeoutSeconds } = load;
    const file = findExecutable("h2load");
    const rate = flag("--rps", perConnection(load));
    const bounds = ["-D", `${seconds}`, ...flag("-N", timeoutSeconds)];
    return file === undefined ? undefined : { file, args: ["--h1", "-c", `${connections}`, ...rate, ...bounds, url] };
  },
  read({ stdout }) {
    const [, succeeded, failed, timedOut] =
      /^requests: .* (\d+) succeeded, (\d+) failed, \d+ errored, (\d+) timeout/m.exec(stdout)?.map(Number) ?? [];
    if (succeeded === undefined || failed === undefined || timedOut === undefined) return undefined;
    return {
      ok: succeeded,
      // Those that it calls errored are among those that it calls failed.
      failed: Math.max(failed, timedOut),
      meanMs: millisecondsIn(stdout, /time for request: +\S+ +\S+ +([\d.]+)(us|ms|s|m)\b/),
      maxMs: millisecondsIn(stdout, TIMES),
    };
  },
};
