/** Command lines drawn at random: everything that can be combined, in runs of about a second. */

import fc from "fast-check";
import type { PathologyName } from "./pathologies.ts";

/** One run of the program against one misbehaving server. */
export interface Configuration {
  /** How the server misbehaves. */
  readonly mode: PathologyName;
  /** Flags of `run`, without --url and --output. */
  readonly flags: readonly string[];
  /** When to press Ctrl-C, after the program has begun its journal; undefined: never. */
  readonly interruptAfterMs: number | undefined;
}

const arrival = fc.oneof(
  fc.constantFrom("constant", "poisson"),
  fc.constantFrom("bursty", "bursty,peak=8,share=0.05,burst=50ms"),
);

/** Rates that all of a second's worth of misbehaviour can be seen at, some beyond what connections can bear. */
const load = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(0.5, 7, 50, 99.9, 300, 1000, 3000), seconds(0.3, 1.2)).map(steady) },
  { weight: 2, arbitrary: fc.constantFrom("0.3s@500,0.5s@10..1500", "0.2s@0,0.3s@800,0.2s@100").map(staged) },
  { weight: 1, arbitrary: seconds(0.5, 1).map((duration) => ["--sine", "20..600,period=500ms", "-d", duration]) },
);

const policy = fc.constantFrom(
  "none",
  "retry",
  "retry,maxAttempts=5",
  "sre",
  "sre,k=1.1,window=1",
  "sre,k=4,maxAttempts=6,retryRatio=0.5",
  "sre-sent-only,k=1.5,window=2",
);

const optional = fc.record(
  {
    "--vus": fc.constantFrom("1", "3", "100", "1000"),
    "--timeout": fc.constantFrom("5ms", "60ms", "400ms", "2s"),
    "--drain": fc.constantFrom("10ms", "200ms", "1s"),
    "--max-in-flight": fc.constantFrom("1", "20", "500"),
    "--pacing": fc.constantFrom("precise", "timer"),
    "--transport": fc.constantFrom("wire", "undici"),
    "--late": fc.constantFrom("send", "drop:1ms", "drop:50ms"),
    "--workers": fc.constantFrom("1", "2", "3"),
    "--warmup": fc.constantFrom("1s"),
    "--connections": fc.constantFrom("0", "1", "30"),
    "--max-requests-per-connection": fc.constantFrom("1", "3"),
    "--max-response": fc.constantFrom("1kB", "100kB"),
    "--overloaded-on": fc.constantFrom("503,timeout", "5xx,reset,refused", "429"),
    "--ok-on": fc.constantFrom("200", "2xx,503"),
    "--body": fc.constantFrom("x", "x".repeat(5000)),
    "--method": fc.constantFrom("GET", "HEAD", "POST", "DELETE"),
  },
  { requiredKeys: [] },
);

const interruption = fc.option(fc.integer({ min: 0, max: 2500 }), { nil: undefined, freq: 2 });

/** `count` configurations, the same ones for the same seed. */
export function randomConfigurations(modes: readonly PathologyName[], count: number, seed: number): Configuration[] {
  const configuration = fc
    .record({ mode: fc.constantFrom(...modes), arrival, load, policy, optional, interruption, seed: fc.nat(1000) })
    .map(({ mode, arrival, load, policy, optional, interruption, seed }) => ({
      mode,
      flags: [
        ...["--arrival", arrival, ...load, "--policy", policy, "--seed", String(seed)],
        ...withoutConflicts(optional, load),
      ],
      interruptAfterMs: interruption,
    }));
  return fc.sample(fc.noBias(configuration), { numRuns: count, seed });
}

/**
 * More workers than users, or than calls under way, are refused, and rightly; so are a body
 * that the method cannot have, and a warm-up at rate 0.
 */
function withoutConflicts(optional: Readonly<Record<string, string | undefined>>, load: readonly string[]): string[] {
  const { "--workers": workers = "1", "--vus": users = "100" } = optional;
  const most = Math.min(Number(users), Number(optional["--max-in-flight"] ?? Number.POSITIVE_INFINITY));
  const method = optional["--method"];
  return Object.entries(optional)
    .filter(([flag]) => !(flag === "--workers" && most < Number(workers)))
    .filter(([flag]) => !(flag === "--body" && (method === "GET" || method === "HEAD")))
    .filter(([flag]) => !(flag === "--warmup" && load.some((word) => word.includes("@0,"))))
    .flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}

function steady([rps, duration]: [number, string]): string[] {
  return ["--rps", String(rps), "--duration", duration];
}

function staged(stages: string): string[] {
  return ["--stages", stages];
}

function seconds(min: number, max: number): fc.Arbitrary<string> {
  return fc.integer({ min: min * 10, max: max * 10 }).map((tenths) => `${tenths / 10}s`);
}
