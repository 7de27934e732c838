import { findExecutable } from "../../bench/executables.ts";
import { flag, type Tool } from "./tool.ts";

interface Summary {
  readonly errors: number;
  readonly non2xx: number;
  readonly "2xx": number;
  readonly latency: { readonly mean: number; readonly p50: number; readonly p99: number; readonly max: number };
}

export const autocannon: Tool = {
  name: "autocannon",
  source: "npm: autocannon",
  loop: "capped",
  command({ url, connections, seconds, timeoutSeconds, rps }) {
    const file = findExecutable("autocannon");
    const bounds = ["-c", `${connections}`, "-d", `${seconds}`, ...flag("-t", timeoutSeconds), ...flag("-R", rps)];
    return file === undefined ? undefined : { file, args: ["--json", "--no-progress", ...bounds, url] };
  },
  read({ stdout }) {
    const json = stdout.trim().split("\n").at(-1) ?? "";
    if (!json.startsWith("{")) return undefined;
    const summary = JSON.parse(json) as Summary;
    const { mean, p50, p99, max } = summary.latency;
    return {
      ok: summary["2xx"],
      // Its time-outs are among its errors.
      failed: summary.non2xx + summary.errors,
      meanMs: mean,
      p50Ms: p50,
      p99Ms: p99,
      maxMs: max,
    };
  },
};
