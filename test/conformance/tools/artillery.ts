import { writeFileSync } from "node:fs";
import path from "node:path";
import { findExecutable } from "../../bench/executables.ts";
import type { Tool } from "./tool.ts";

interface Times {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface Output {
  readonly aggregate: {
    readonly counters: Readonly<Record<string, number>>;
    readonly summaries: Readonly<Record<string, Times>>;
  };
}

const REPORT = "report.json";

/** Each of its virtual users sends one request, on a connection of its own. */
export const artillery: Tool = {
  name: "artillery",
  source: "npm: artillery@2.0.21 is the last one for Node 20",
  loop: "open",
  lingers: true,
  command({ url, seconds, timeoutSeconds, rps }, folder) {
    const file = findExecutable("artillery");
    if (file === undefined) return undefined;
    const script = path.join(folder, "script.json");
    writeFileSync(
      script,
      JSON.stringify({
        config: {
          target: url,
          http: { timeout: timeoutSeconds },
          phases: [{ duration: seconds, arrivalRate: rps }],
        },
        scenarios: [{ flow: [{ get: { url: "/" } }] }],
      }),
    );
    return {
      file,
      args: ["run", "--quiet", "--output", path.join(folder, REPORT), script],
      environment: { ARTILLERY_DISABLE_TELEMETRY: "true" },
    };
  },
  read({ file }) {
    const json = file(REPORT);
    if (json === "") return undefined;
    const { counters, summaries } = (JSON.parse(json) as Output).aggregate;
    const sumOf = (pattern: RegExp): number =>
      Object.entries(counters).reduce((sum, [name, count]) => (pattern.test(name) ? sum + count : sum), 0);
    // It has the times of useful answers apart; where it has none, there were none.
    const times = summaries["http.response_time.2xx"];
    return {
      ok: sumOf(/^http\.codes\.[23]\d\d$/),
      failed: sumOf(/^http\.codes\.[145]\d\d$/) + sumOf(/^errors\./),
      meanMs: times?.mean,
      p50Ms: times?.p50,
      p99Ms: times?.p99,
      maxMs: times?.max,
    };
  },
};
