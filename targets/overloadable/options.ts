import { parseStrictly, UsageError } from "../program/arguments.ts";
import type { Mode } from "./backend.ts";

/** Everything one can tell the target. Resolved: no field is missing. */
export interface OverloadableOptions {
  readonly mode: Mode;
  /** Address to bind to. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly acceptMs: number;
  readonly rejectMs: number;
  /** Jobs that may wait in mode `shed`, without the one in work. */
  readonly queue: number;
  /** The same in mode `fifo`. */
  readonly fifoQueue: number;
  /** Status of a rejection. */
  readonly status: number;
  /** Seconds in the `Retry-After` header of a rejection; null sends none. */
  readonly retryAfter: number | null;
  /** The share of the queue kept for what matters more, by step of the request header `x-criticality`; 0: none. */
  readonly reserve: number;
  /** Whether to exit when standard input closes. */
  readonly exitWithParent: boolean;
}

export const DEFAULT_OPTIONS: OverloadableOptions = {
  mode: "shed",
  host: "127.0.0.1",
  port: 8080,
  acceptMs: 1,
  rejectMs: 0.3,
  queue: 50,
  fifoQueue: 100_000,
  status: 503,
  retryAfter: null,
  reserve: 0,
  exitWithParent: false,
};

export const HELP = `Usage: overloadable [options] [SPEC]

An HTTP server that really burns CPU, to be overloaded. One JSON line on stdout says where it listens.

  --port N            port, 0 picks a free one (default 8080)
  --host ADDRESS      address to bind to (default 127.0.0.1)
  --mode shed|fifo    shed rejects beyond the queue, fifo works on everything in order (default shed)
  --accept-ms MS      work of an accepted request (default 1)
  --reject-ms MS      work of a rejection (default 0.3)
  --queue N           shed: requests that may wait, without the one in work (default 50)
  --fifo-queue N      fifo: the same, a bound on memory (default 100000)
  --status N          status of a rejection, 400 to 599 (default 503)
  --retry-after S     whole seconds in the Retry-After header of a rejection (default: no header)
  --reserve SHARE     share of the queue kept for more critical requests, per step of x-criticality (default 0)
  --exit-with-parent  exit when standard input closes
  --help              print this text

SPEC is the same in one value, a mode and the flags' names in camel case: shed:acceptMs=2,queue=10. Flags win over it.
GET /__stats answers with counters as JSON, GET /__health with 200; every other request is work.
`;

type ValueKey = Exclude<keyof OverloadableOptions, "exitWithParent">;
type Changes = { -readonly [Key in keyof OverloadableOptions]?: OverloadableOptions[Key] };

interface NumberRule {
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

const FLAGS: Readonly<Record<ValueKey, string>> = {
  mode: "mode",
  host: "host",
  port: "port",
  acceptMs: "accept-ms",
  rejectMs: "reject-ms",
  queue: "queue",
  fifoQueue: "fifo-queue",
  status: "status",
  retryAfter: "retry-after",
  reserve: "reserve",
};

const NUMBER_RULES: Readonly<Record<Exclude<ValueKey, "mode" | "host">, NumberRule>> = {
  port: { unit: "number", min: 0, max: 65_535, isWhole: true },
  acceptMs: { unit: "number of milliseconds", min: 0, max: 10_000, isWhole: false },
  rejectMs: { unit: "number of milliseconds", min: 0, max: 10_000, isWhole: false },
  queue: { unit: "number of requests", min: 1, max: 1_000_000, isWhole: true },
  fifoQueue: { unit: "number of requests", min: 1, max: 1_000_000, isWhole: true },
  status: { unit: "status", min: 400, max: 599, isWhole: true },
  retryAfter: { unit: "number of seconds", min: 0, max: 86_400, isWhole: true },
  // Three steps: with a third of it, the least critical requests find no room at all.
  reserve: { unit: "share", min: 0, max: 0.33, isWhole: false },
};

const VALUE_KEYS = Object.keys(FLAGS) as readonly ValueKey[];

const ARGUMENTS: Readonly<Record<string, { readonly type: "string" | "boolean" }>> = {
  "exit-with-parent": { type: "boolean" },
  help: { type: "boolean" },
  ...Object.fromEntries(VALUE_KEYS.map((key) => [FLAGS[key], { type: "string" } as const])),
};

/**
 * Reads the command line.
 *
 * @returns the options, or `"help"`.
 * @throws UsageError for anything unknown, malformed or out of range.
 */
export function parseOptions(args: readonly string[]): OverloadableOptions | "help" {
  const { values, positionals } = parseStrictly(args, ARGUMENTS, true);
  if (values.help === true) return "help";
  if (positionals.length > 1) {
    throw new UsageError(`Cannot use more than one SPEC: got '${positionals.join("' and '")}'`);
  }
  const changes: Changes = positionals[0] === undefined ? {} : parseSpec(positionals[0]);
  for (const key of VALUE_KEYS) {
    const text = values[FLAGS[key]];
    if (typeof text === "string") Object.assign(changes, { [key]: parseValue(key, `--${FLAGS[key]}`, text) });
  }
  if (values["exit-with-parent"] === true) changes.exitWithParent = true;
  return { ...DEFAULT_OPTIONS, ...changes };
}

/**
 * Reads the composite form, `MODE[:KEY=VALUE,...]`, for example `shed:acceptMs=2,queue=10`.
 *
 * @returns what it sets, and nothing else.
 * @throws UsageError as {@link parseOptions}.
 */
export function parseSpec(spec: string): Partial<OverloadableOptions> {
  const colon = spec.indexOf(":");
  const mode = colon < 0 ? spec : spec.slice(0, colon);
  const pairs = colon < 0 ? [] : spec.slice(colon + 1).split(",");
  const changes: Changes = { mode: parseMode("SPEC", mode) };
  const seen = new Set<string>(["mode"]);
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    const key = VALUE_KEYS.find((candidate) => candidate === pair.slice(0, Math.max(equals, 0)));
    if (key === undefined) {
      throw new UsageError(
        `Cannot use SPEC as '${pair}' is not KEY=VALUE with one of ${VALUE_KEYS.slice(1).join(", ")}`,
      );
    }
    if (seen.has(key)) throw new UsageError(`Cannot use SPEC as it sets '${key}' twice: current value is '${spec}'`);
    seen.add(key);
    Object.assign(changes, { [key]: parseValue(key, key, pair.slice(equals + 1)) });
  }
  return changes;
}

/** The flags that make {@link parseOptions} return these options. */
export function flagsOf(options: Partial<OverloadableOptions>): string[] {
  const flags: string[] = [];
  for (const key of VALUE_KEYS) {
    const value = options[key];
    if (value !== undefined && value !== null) flags.push(`--${FLAGS[key]}`, String(value));
  }
  if (options.exitWithParent === true) flags.push("--exit-with-parent");
  return flags;
}

function parseValue(key: ValueKey, name: string, text: string): string | number {
  switch (key) {
    case "mode":
      return parseMode(name, text);
    case "host":
      if (text === "") throw new UsageError(`Cannot use ${name} as it must be an address: current value is ''`);
      return text;
    default:
      return parseNumber(name, text, NUMBER_RULES[key]);
  }
}

function parseMode(name: string, text: string): Mode {
  if (text === "shed" || text === "fifo") return text;
  throw new UsageError(`Cannot use ${name} as the mode must be 'shed' or 'fifo': current value is '${text}'`);
}

function parseNumber(name: string, text: string, rule: NumberRule): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= rule.min && value <= rule.max && (Number.isInteger(value) || !rule.isWhole)) return value;
  const kind = rule.isWhole ? `whole ${rule.unit}` : rule.unit;
  throw new UsageError(
    `Cannot use ${name} as it must be a ${kind} from ${rule.min} to ${rule.max}: current value is '${text}'`,
  );
}
