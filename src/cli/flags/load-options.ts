/** The flags of `run` and `ab`: how they are written, and what they mean once resolved. */

import type { Command } from "commander";
import { DEFAULT_OK_ON, DEFAULT_OVERLOADED_ON } from "../../engine/classify.ts";
import type { FoundCapacity } from "../../experiment/found-capacity.ts";
import { parseScript } from "../../plan/script.ts";
import type { CriticalityMix } from "../../policy/criticality.ts";
import { modifierOptions } from "../../policy/modifier/modifiers.ts";
import type { Design } from "../../result/design-schema.ts";
import { CliError } from "../cli-error.ts";
import { addExportOptions, type ExportFlags } from "../session/exports.ts";
import { type Add, adderFor } from "./add-option.ts";
import type { AgeFlags } from "./age-option.ts";
import { type ArrivalFlags, addArrivalOptions, checkArrivals, checkWorkers } from "./arrival-options.ts";
import { addConnectionOptions, type ConnectionFlags, checkConnections } from "./connection-options.ts";
import { criticalityMix } from "./criticality-flag.ts";
import { addDryRunOption } from "./dry-run.ts";
import {
  header,
  headerName,
  method,
  okList,
  oneOf,
  outputFile,
  overloadList,
  positiveDuration,
  positiveNumber,
  url,
} from "./flag-values.ts";
import { addGuardOptions, type GuardFlags } from "./guard-options.ts";
import { type PolicyChoice, parsePolicy } from "./policy-flag.ts";
import { addPushOptions, checkPush, type PushFlags } from "./push-options.ts";
import { checkScript, type Script } from "./script-flag.ts";
import { parseSim, type SimChoice } from "./sim-option.ts";

/** Flags as commander gives them, parsed one by one. */
export interface LoadFlags extends AgeFlags, ArrivalFlags, ConnectionFlags, ExportFlags, GuardFlags, PushFlags {
  readonly url?: string;
  readonly sim?: SimChoice;
  readonly target?: string;
  readonly script?: Script;
  readonly pin: boolean;
  readonly stats: boolean;
  readonly sentinel: boolean;
  readonly policy: PolicyChoice;
  readonly k?: number;
  readonly window?: number;
  readonly scope?: string;
  readonly criticality?: CriticalityMix;
  readonly criticalityHeader?: string;
  readonly timeout: number;
  /** Commands with more than one trial have these, as far as they can use them. */
  readonly pause?: number;
  readonly effect?: number;
  readonly chance?: Design["chance"];
  readonly earlyStop?: boolean;
  readonly resume?: string;
  /** No flag: the capacity of the experiment that is repeated. */
  readonly found?: FoundCapacity;
  /** Only `run` has it. */
  readonly twin?: boolean;
  readonly overloadedOn: readonly string[];
  readonly okOn: readonly string[];
  readonly method?: string;
  readonly header: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly bodyFile?: string;
  readonly json?: boolean | "line" | "pretty";
  readonly output?: string;
  readonly quiet: boolean;
  readonly dryRun?: boolean;
}

/** Adds the flags that all commands share which send load. @param add for a command whose flags are written in another way. */
export function addLoadOptions(command: Command, add: Add = adderFor(command)): Command {
  command.optionsGroup("Target (one of --url, --sim; without both the built-in target is started):");
  addTargetOptions(add);
  command.optionsGroup("Load:");
  addArrivalOptions(add);
  add("--no-sentinel", "do not probe a null server beside the load, which measures the generator's own error");
  command.optionsGroup("Guards:");
  addGuardOptions(add);
  command.optionsGroup("Client:");
  addClientOptions(add);
  command.optionsGroup("Request:");
  addRequestOptions(add);
  command.optionsGroup("Connections:");
  addConnectionOptions(add);
  command.optionsGroup("Output:");
  addOutputOptions(add);
  addExportOptions(add);
  add("-q, --quiet", "no progress on stderr", undefined, false);
  addPushOptions(add);
  addDryRunOption(add);
  command.optionsGroup("Flags from a file:");
  addConfigOption(add);
  return command;
}

function addTargetOptions(add: Add): void {
  add("--url <url>", "the HTTP endpoint to load", url);
  add(
    "--sim <model>",
    "simulate instead: shed:capacity=400,rejectCost=0.3, fifo:workers=4,service=25ms, slope:base=50ms,slope=1ms, bernoulli:accept=0.7 or worker:accept=5ms,reject=1.5ms; all take latency=, backends= and balance= too",
    parseSim,
  );
  add("--target <spec>", "settings of the built-in target (default: shed:acceptMs=5,rejectMs=1.5,queue=50)");
  add(
    "--script <changes>",
    "what happens to the model or the built-in target, and when: 20s..23s:capacity=0.25,40s..45s:outage",
    parseScript,
  );
  add("--no-pin", "do not bind the built-in target to one processor");
  add("--no-stats", "do not look for the built-in target's counters at /__stats of the URL");
}

function addClientOptions(add: Add): void {
  const sre: PolicyChoice = { name: "sre", options: {} };
  add(
    "-p, --policy <policy>",
    "a name of `overload-bench policies`, or a file of your own: sre,k=1.5,window=10 or ./mine.ts,factor=2",
    parsePolicy,
    sre,
    "sre",
  );
  add("--k <number>", "short for the policy's option k", positiveNumber);
  add("--window <time>", "short for the policy's option window: 10s, 1m30s", positiveDuration);
  add(
    "--scope <who>",
    "short for its option scope: user (each its own) or process (one for all)",
    oneOf(modifierOptions.scope.choices),
  );
  add(
    "--criticality <mix>",
    "how much calls matter: critical-plus=10,critical=50,sheddable-plus=20,sheddable=20 (default: all critical)",
    criticalityMix,
  );
  add("--criticality-header <name>", "the request header that tells it (default: x-criticality)", headerName);
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
}

/** What becomes of a result: all commands that end in one have these. */
export function addOutputOptions(add: Add): void {
  add(
    "--json [style]",
    "the result document on stdout instead of the table: line or pretty",
    oneOf(["line", "pretty"]),
  );
  add("-o, --output <file>", "the result file; never overwritten (default: a new file in results/)", outputFile);
}

/** All commands that send load have it. */
export function addConfigOption(add: Add): void {
  add("--config <file>", "YAML or JSON whose keys are the long names of flags; flags and the environment win");
}

/** Rules that concern more than one flag. @throws CliError */
export function checkTogether(flags: LoadFlags): void {
  const { url: at, sim, target, body, bodyFile } = flags;
  if (at !== undefined && sim !== undefined) throw new CliError("--url and --sim exclude each other");
  if (flags.twin === true && sim !== undefined) {
    throw new CliError("--twin sets a simulation beside a real trial: it excludes --sim");
  }
  if (flags.criticalityHeader !== undefined && (flags.criticality === undefined || sim !== undefined)) {
    throw new CliError("--criticality-header needs --criticality, and requests to put it in: it excludes --sim");
  }
  if (target !== undefined && (at !== undefined || sim !== undefined)) {
    throw new CliError("--target is for the built-in target: it excludes --url and --sim");
  }
  const elsewhere =
    at !== undefined ? "--url" : sim !== undefined ? "--sim" : target !== undefined ? "--target" : undefined;
  checkArrivals(flags, elsewhere);
  checkConnections(flags, at, sim !== undefined);
  checkScript(flags);
  checkPush(flags, sim !== undefined);
  if (sim === undefined) checkWorkers(flags);
  if (body !== undefined && bodyFile !== undefined) throw new CliError("--body and --body-file exclude each other");
}
