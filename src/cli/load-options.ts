/** The flags of `run` and `ab`: how they are written, and what they mean once resolved. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_OK_ON, DEFAULT_OVERLOADED_ON } from "../engine/classify.ts";
import type { Pacing, ShedModelSpec } from "../engine/trial-spec.ts";
import { ARRIVAL_LAWS, type ArrivalLaw } from "../plan/arrivals.ts";
import { parseCount, parseDuration, parseRate } from "../plan/units.ts";
import { CliError } from "./cli-error.ts";
import { type Composite, parseComposite } from "./composite.ts";
import {
  arrivalDuration,
  header,
  method,
  okList,
  oneOf,
  outputFile,
  overloadList,
  positiveDuration,
  url,
  wholeNumber,
} from "./flag-values.ts";
import { parseSim } from "./sim-option.ts";

/** Flags as commander gives them, parsed one by one. */
export interface LoadFlags {
  readonly url?: string;
  readonly sim?: ShedModelSpec;
  readonly target?: string;
  readonly pin: boolean;
  readonly stats: boolean;
  readonly rps?: number;
  readonly duration: number;
  readonly vus: number;
  readonly arrival: ArrivalLaw;
  readonly seed: number;
  readonly policy: Composite;
  readonly k?: string;
  readonly window?: number;
  readonly timeout: number;
  readonly drain: number;
  /** Only `ab` has it. */
  readonly pause?: number;
  readonly maxInFlight: number;
  readonly overloadedOn: readonly string[];
  readonly okOn: readonly string[];
  readonly pacing: Pacing;
  readonly method?: string;
  readonly header: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly bodyFile?: string;
  readonly insecure: boolean;
  readonly json?: boolean | "line" | "pretty";
  readonly output?: string;
  readonly quiet: boolean;
}

type Parse = (text: string, before: never) => unknown;

/** Adds one flag: how it is written, its text, its parser, its default and how that is shown. */
type Add = (flags: string, text: string, parse?: Parse, fallback?: unknown, fallbackText?: string) => void;

/** Adds the flags that `run` and `ab` share. */
export function addLoadOptions(command: Command): Command {
  const add: Add = (flags, text, parse, fallback, fallbackText) => {
    const option = new Option(flags, text);
    const name = option.long ?? flags;
    if (parse !== undefined) option.argParser((value, before) => named(name, () => parse(value, before as never)));
    if (fallback !== undefined) option.default(fallback, fallbackText);
    command.addOption(option);
  };
  command.optionsGroup("Target (one of --url, --sim; without both the built-in target is started):");
  addTargetOptions(add);
  command.optionsGroup("Load:");
  addArrivalOptions(add);
  command.optionsGroup("Client:");
  addClientOptions(add);
  command.optionsGroup("Request:");
  addRequestOptions(add);
  command.optionsGroup("Output:");
  addOutputOptions(add);
  return command;
}

function addTargetOptions(add: Add): void {
  add("--url <url>", "the HTTP endpoint to load", url);
  add("--sim <model>", "simulate instead: shed:capacity=400,rejectCost=0.3[,burst=10,latency=5ms]", parseSim);
  add("--target <spec>", "settings of the built-in target (default: shed:acceptMs=5,rejectMs=1.5,queue=50)");
  add("--no-pin", "do not bind the built-in target to one processor");
  add("--no-stats", "do not look for the built-in target's counters at /__stats of the URL");
}

function addArrivalOptions(add: Add): void {
  add("-r, --rps <rate>", "calls per second: 2000, 99.9, 120/m (default for the built-in target: 400)", parseRate);
  add("-d, --duration <time>", "how long calls arrive: 30s, 2m, 1m30s", arrivalDuration, 30, "30s");
  add("-u, --vus <count>", "virtual users, each a client of its own", parseCount, 100, "100");
  add("--arrival <law>", "poisson or constant", oneOf(ARRIVAL_LAWS), "poisson", "poisson");
  add("--seed <number>", "seed of all random streams", wholeNumber, 1, "1");
  add("--pacing <mode>", "precise (sleep, then spin) or timer", oneOf(["precise", "timer"]), "precise", "precise");
  add(
    "--max-in-flight <count>",
    "bound on calls under way; more are dropped, and the run is invalid",
    parseCount,
    10_000,
    "10000",
  );
  add("--drain <time>", "how long to wait for calls under way at the end", parseDuration, 10, "10s");
}

function addClientOptions(add: Add): void {
  const sre: Composite = { name: "sre", options: {} };
  add(
    "-p, --policy <policy>",
    "none, retry, sre, sre-sent-only, with options: sre,k=1.5,window=10",
    parseComposite,
    sre,
    "sre",
  );
  add("--k <number>", "short for the policy's option k");
  add("--window <time>", "short for the policy's option window: 10s, 1m30s", positiveDuration);
  add("-t, --timeout <time>", "the time an attempt may take", positiveDuration, 1, "1s");
  add(
    "--overloaded-on <list>",
    "what counts as overload: statuses, 5xx, timeout, refused, reset",
    overloadList,
    DEFAULT_OVERLOADED_ON,
    DEFAULT_OVERLOADED_ON.join(","),
  );
  add("--ok-on <list>", "statuses of a useful answer", okList, DEFAULT_OK_ON, DEFAULT_OK_ON.join(","));
}

function addRequestOptions(add: Add): void {
  add("-m, --method <method>", "GET, or POST when there is a body", method);
  add("-H, --header <header>", "'Name: value', may be repeated", header, []);
  add("-b, --body <text>", "body of each request");
  add("--body-file <file>", "the same, from a file");
  add("-k, --insecure", "accept certificates that do not verify", undefined, false);
}

function addOutputOptions(add: Add): void {
  add(
    "--json [style]",
    "the result document on stdout instead of the table: line or pretty",
    oneOf(["line", "pretty"]),
  );
  add("-o, --output <file>", "the result file; never overwritten (default: a new file in results/)", outputFile);
  add("-q, --quiet", "no progress on stderr", undefined, false);
}

/** Rules that concern more than one flag. @throws CliError */
export function checkTogether(flags: LoadFlags): void {
  const { url: at, sim, target, body, bodyFile } = flags;
  if (at !== undefined && sim !== undefined) throw new CliError("--url and --sim exclude each other");
  if (target !== undefined && (at !== undefined || sim !== undefined)) {
    throw new CliError("--target is for the built-in target: it excludes --url and --sim");
  }
  const elsewhere =
    at !== undefined ? "--url" : sim !== undefined ? "--sim" : target !== undefined ? "--target" : undefined;
  if (flags.rps === undefined && elsewhere !== undefined) {
    throw new CliError(`--rps is required with ${elsewhere}, such as --rps 2000`);
  }
  if (body !== undefined && bodyFile !== undefined) throw new CliError("--body and --body-file exclude each other");
}

/** Runs a parser and puts the flag's name in front of its complaint. */
export function named<T>(flag: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError || error instanceof InvalidArgumentError) {
      throw new CliError(`${flag} ${error.message}`);
    }
    throw error;
  }
}
