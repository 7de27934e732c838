import { findExecutable } from "../../bench/executables.ts";
import { flag, numberIn, perConnection, sumIn, type Tool } from "./tool.ts";

const inMs = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : 1000 * seconds);

export const hey: Tool = {
  name: "hey",
  source: "apt: hey",
  loop: "capped",
  command(load) {
    const { url, connections, seconds, timeoutSeconds } = load;
    const file = findExecutable("hey");
    const rate = flag("-q", perConnection(load));
    const args = ["-c", `${connections}`, ...rate, "-z", `${seconds}s`, ...flag("-t", timeoutSeconds), url];
    return file === undefined ? undefined : { file, args };
  },
  read({ stdout }) {
    if (!stdout.includes("Status code distribution:")) return undefined;
    const [statuses = "", errors = ""] = (stdout.split("Status code distribution:")[1] ?? "").split(
      "Error distribution:",
    );
    return {
      ok: sumIn(statuses, /^ +\[[23]\d\d\]\s+(\d+) responses/gm),
      failed: sumIn(statuses, /^ +\[[145]\d\d\]\s+(\d+) responses/gm) + sumIn(errors, /^ +\[(\d+)\]/gm),
      meanMs: inMs(numberIn(stdout, /Average:\s+([\d.]+) secs/)),
      p50Ms: inMs(numberIn(stdout, /50% in ([\d.]+) secs/)),
      p99Ms: inMs(numberIn(stdout, /99% in ([\d.]+) secs/)),
      maxMs: inMs(numberIn(stdout, /Slowest:\s+([\d.]+) secs/)),
    };
  },
};
