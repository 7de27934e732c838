/** Whether results of several files can be compared: the same plan, the same target, the same requests, and trials to trust. */

import { ageText } from "../figures/age-text.ts";
import { formatCount, formatSeconds } from "../figures/number-format.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { completeTrials } from "./arms.ts";

/** One of the results, and what it is called. */
export interface NamedResult {
  readonly name: string;
  readonly result: Result;
  /** Those of its trials that are to be compared. */
  readonly trials: readonly TrialResult[];
}

/** What must be the same, as text; undefined where a result does not say. */
type Fact = readonly [what: string, of: (result: Result) => string | undefined];

const PLAN: readonly Fact[] = [
  ["arrivals", ({ plan }) => plan.arrival],
  ["rate", ({ plan }) => plan.rate],
  ["duration", ({ plan }) => formatSeconds(plan.durationSeconds)],
  ["warm-up", ({ plan }) => formatSeconds(plan.warmupSeconds)],
  ["users", ({ plan }) => formatCount(plan.users)],
  ["seed", ({ plan }) => String(plan.seed)],
];

/** What of the world is told apart by itself, or is no part of the target or its requests. */
const OTHER_KEYS: ReadonlySet<string> = new Set(["kind", "script", "url", "builtInTarget", "model"]);
/** How the generator measures, and what the file says of that. */
const MEASURING: ReadonlySet<string> = new Set([
  "pacing",
  "transport",
  "stats",
  "sentinel",
  "sentinelUrl",
  "pin",
  "pauseSeconds",
  "twin",
  "bodyFile",
]);

const TARGET: readonly Fact[] = [
  ["world", ({ trials }) => trials[0]?.world],
  ["target", targetOf],
  ["script", (result) => textOf(worldOf(result).script ?? "none")],
  ["timeout", ({ config }) => secondsOf(config.timeoutSeconds)],
  ["what counts as overload", ({ config }) => listOf(config.overloadedOn)],
  ["what counts as ok", ({ config }) => listOf(config.okOn)],
  ["criticality of the calls", ({ config }) => textOf(config.criticality ?? "none")],
];

const VERSION: Fact = ["version of overload-bench", ({ tool }) => tool.version];
const MACHINE: readonly Fact[] = [
  ["transport", transportOf],
  ["runtime", ({ environment }) => `${environment.runtime} ${environment.runtimeVersion}`],
  ["machine", ({ environment }) => `${environment.cpus} x ${environment.cpuModel}`],
];

/**
 * What speaks against comparing the results with the first one, one sentence each: what differs, and both values. Empty when
 * nothing does.
 */
export function reasonsAgainst(named: readonly NamedResult[]): string[] {
  const [first, ...others] = named;
  if (first === undefined) return [];
  return [
    ...others.flatMap((other) => [
      ...differing(PLAN, first, other),
      ...differing(TARGET, first, other),
      ...requestDifferences(first, other),
      ...ageDifferences(first, other),
    ]),
    ...others.flatMap((other) => pairReasons(first, other)),
    ...named.flatMap(invalidReasons),
  ];
}

const DISTURBED =
  "Figures of a recovery are over the calm and the storm together, so they tell how long was looked at too: the verdict on each arm is in `report`, its time in --metric recoverySeconds.";

/** What may explain a difference though it does not forbid the comparison, or is to be known of it. */
export function notesOn(named: readonly NamedResult[]): string[] {
  const [first, ...others] = named;
  const disturbed = named.some(({ result }) => result.command === "recovery") ? [DISTURBED] : [];
  if (first === undefined || others.length === 0) return disturbed;
  const isReal = first.trials[0]?.world === "real";
  const stopped = named.flatMap(({ name, result }) => (result.design.stopped === undefined ? [] : [name]));
  const facts: readonly Fact[] = [VERSION, ...(isReal ? MACHINE : [])];
  return [
    ...disturbed,
    ...others.flatMap((other) => differing(facts, first, other)),
    ...(isReal
      ? [
          "The files were measured one after another, not in turn: what else changed between them is in the differences too.",
        ]
      : []),
    ...(stopped.length > 0
      ? [`${stopped.join(" and ")} stopped early by a comparison of its own, which p-values here do not account for.`]
      : []),
  ];
}

function differing(facts: readonly Fact[], first: NamedResult, other: NamedResult): string[] {
  return facts.flatMap(([what, of]) => {
    const [a, b] = [of(first.result), of(other.result)];
    return a === undefined || b === undefined || a === b ? [] : [sentence(what, first.name, a, other.name, b)];
  });
}

function sentence(what: string, first: string, a: string, other: string, b: string): string {
  return `${what}: ${a} in ${first}, ${b} in ${other}`;
}

/** The rest of what the files say of their world: method, headers, body, connections; or the network of a simulation. */
function requestDifferences(first: NamedResult, other: NamedResult): string[] {
  const [a, b] = [worldOf(first.result), worldOf(other.result)];
  if (a.kind !== b.kind) return [];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys
    .filter((key) => !OTHER_KEYS.has(key) && !MEASURING.has(key))
    .filter((key) => stable(a[key]) !== stable(b[key]))
    .map((key) => sentence(key, first.name, textOf(a[key] ?? "none"), other.name, textOf(b[key] ?? "none")));
}

/** Clients with a past react later than cold ones, whatever their policy: arms of one name, or all where none is in both. */
function ageDifferences(first: NamedResult, other: NamedResult): string[] {
  const arms = [...new Set(first.trials.map(({ arm }) => arm))].filter((arm) =>
    other.trials.some((trial) => trial.arm === arm),
  );
  const compared = arms.length === 0 ? [undefined] : arms;
  return compared.flatMap((arm) => {
    const [a, b] = [agesOf(first, arm), agesOf(other, arm)];
    return a === b ? [] : [sentence(arm === undefined ? "clients" : `clients of ${arm}`, first.name, a, other.name, b)];
  });
}

function agesOf({ trials }: NamedResult, arm: string | undefined): string {
  const its = trials.filter((trial) => arm === undefined || trial.arm === arm);
  return [...new Set(its.map(ageText))].toSorted().join(" and ");
}

function pairReasons(first: NamedResult, other: NamedResult): string[] {
  const hashes = new Map(completeTrials(first.trials).map((trial) => [trial.pair, trial.plan.hash]));
  const common = completeTrials(other.trials).filter(({ pair }) => hashes.has(pair));
  if (common.length === 0) {
    const partial = [first, other].filter(({ result }) => result.partial).map(({ name }) => name);
    const why =
      partial.length === 0 ? "" : `; ${partial.join(" and ")} ${partial.length === 1 ? "was" : "were"} cut short`;
    return [`pairs: ${first.name} and ${other.name} have none in common${why}`];
  }
  const moved = common.find(({ pair, plan }) => hashes.get(pair) !== plan.hash);
  if (moved === undefined) return [];
  const hash = hashes.get(moved.pair) ?? "";
  return [sentence(`plan of pair ${moved.pair + 1}`, first.name, hash, other.name, moved.plan.hash)];
}

function invalidReasons(named: NamedResult): string[] {
  const trials = completeTrials(named.trials);
  const invalid = trials.filter(({ validity }) => validity.verdict === "invalid");
  if (invalid.length === 0) return [];
  const codes = new Set(
    invalid.flatMap(({ validity }) =>
      validity.reasons.filter(({ severity }) => severity === "invalid").map(({ code }) => code),
    ),
  );
  return [
    `validity: ${invalid.length} of ${trials.length} trials of ${named.name} ${invalid.length === 1 ? "is" : "are"} invalid (${[...codes].join(", ")})`,
  ];
}

function targetOf(result: Result): string | undefined {
  const { url, builtInTarget, model } = worldOf(result);
  if (url !== undefined || builtInTarget !== undefined) return textOf(url ?? builtInTarget);
  return result.trials[0]?.model ?? (model === undefined ? undefined : textOf(model));
}

function worldOf({ config }: Result): Readonly<Record<string, unknown>> {
  const { world } = config;
  return typeof world === "object" && world !== null ? (world as Record<string, unknown>) : {};
}

/** What sent the requests. Trials that do not say it are of a time when there was one client for HTTP/1.1. */
function transportOf({ trials: [trial], config }: Result): string | undefined {
  if (trial?.world !== "real") return undefined;
  const { connections } = worldOf({ config } as Result);
  const isHttp2 = (connections as { readonly http2?: unknown } | undefined)?.http2 === true;
  return trial.transport ?? (isHttp2 ? "http2" : "undici");
}

function secondsOf(value: unknown): string | undefined {
  return typeof value === "number" ? formatSeconds(value) : undefined;
}

function listOf(value: unknown): string | undefined {
  return Array.isArray(value) ? value.map(String).join(",") : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : stable(value);
}

/** The same text for the same value, whatever the order of its keys. */
function stable(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "none";
  if (Array.isArray(value)) return `[${value.map(stable).join(",")}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${stable(field)}`)
    .join(",")}}`;
}
