/** This tool, on the runtime that runs this program or on another. */

import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { TransportName } from "../../../src/engine/trial-spec.ts";
import { parseResult } from "../../../src/result/read-result.ts";
import { currentRuntime, type RuntimeName } from "../../../src/world/runtime.ts";
import { findExecutable, ROOT } from "../../bench/executables.ts";
import { flag, type Report, type Tool } from "./tool.ts";

const RESULT = "result.json";
export const OURS = "overload-bench";

/** The same with the client that is our reference. */
export const OVER_UNDICI: string = `${OURS} over undici`;

export function overloadBench(runtime: RuntimeName, transport?: TransportName): Tool {
  const here = transport === undefined ? OURS : OVER_UNDICI;
  return {
    name: runtime === currentRuntime().name ? here : `${OURS} on ${runtime}`,
    source: runtime === "node" ? "npm run build" : `npm: ${runtime}`,
    loop: "open",
    command({ url, rps, seconds, timeoutSeconds, connections }, folder) {
      const program = programOn(runtime);
      if (program === undefined) return undefined;
      const load = [...flag("--rps", rps), "--duration", `${seconds}s`, "--arrival", "constant", "--policy", "none"];
      const client = flag("--transport", transport);
      const bounds = [...flag("--timeout", secondsText(timeoutSeconds)), "--connections", `${connections}`];
      const output = ["--no-stats", "--quiet", "--json", "line", "--output", path.join(folder, RESULT)];
      const [file = "", ...args] = program;
      return { file, args: [...args, "run", "--url", url, ...load, ...client, ...bounds, ...output] };
    },
    read: ({ file }) => readReport(file(RESULT)),
  };
}

function secondsText(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `${seconds}s`;
}

function programOn(runtime: RuntimeName): readonly string[] | undefined {
  const executable = currentRuntime().name === runtime ? process.execPath : findExecutable(runtime);
  // Node 20 runs no TypeScript: it takes what the build has made.
  const file = path.join(ROOT, runtime === "node" ? "dist/bin/overload-bench.js" : "bin/overload-bench.ts");
  if (executable === undefined || !existsSync(file)) return undefined;
  return [executable, ...(runtime === "deno" ? ["run", "-A"] : []), file];
}

function readReport(json: string): Report | undefined {
  if (json === "") return undefined;
  const trial = parseResult(json, RESULT).trials[0];
  if (trial === undefined) return undefined;
  const { calls, attempts, latency, validity } = trial;
  const { ok } = latency.response;
  return {
    ok: calls.ok,
    failed: calls.planned - calls.ok,
    repeated: attempts.staleConnection,
    meanMs: ok?.meanMs,
    p50Ms: ok?.p50Ms,
    p99Ms: ok?.p99Ms,
    maxMs: ok?.maxMs,
    verdict: validity.verdict,
  };
}
