/** Policies that stand in a file of the user's: how they are loaded, in whichever thread, and resolved. */

import process from "node:process";
import { clearTimeout, setTimeout } from "node:timers";
import type { PolicySpec } from "../engine/trial-spec.ts";
import { policyPresets, type ResolvedPolicy, resolvePolicy, resolvePreset } from "../policy/catalogue.ts";
import { guardedPreset, POLICY_FAULT, PolicyFault } from "../policy/guarded-policy.ts";
import { presetOf } from "../policy/policy-module.ts";
import type { PolicyPreset } from "../policy/preset.ts";
import { currentRuntime, loadsTypescript } from "./runtime.ts";

/** A module that waits for ever at its top must not hold the program up. */
const LOAD_SECONDS_MAX = 10;

/**
 * Loads a policy module.
 *
 * @param url of the file.
 * @throws {PolicyFault} what is wrong with it, in one line.
 */
export async function loadPolicyModule(url: string): Promise<PolicyPreset> {
  const { version } = currentRuntime();
  const refusal = typescriptRefusal(url, !loadsTypescript(), version);
  if (refusal !== undefined) throw new PolicyFault(refusal);
  const { policy } = await imported(url);
  try {
    const taken = policyPresets.map((preset) => preset.name);
    return presetOf(policy, taken);
  } catch (error) {
    // Else one of its getters threw.
    throw new PolicyFault(error instanceof RangeError ? error.message : `Cannot read its policy: ${explain(error)}`);
  }
}

/**
 * Runs the user's code for the first time. It may end the process there and then, which must not pass for success.
 *
 * @param place names the module in the line that is written in that case.
 * @param exitCode of the process in that case, if it would be 0.
 */
export async function survivingExit<T>(place: string, exitCode: number, work: () => Promise<T>): Promise<T> {
  const exited = (): void => {
    process.stderr.write(`overload-bench: ${place}: it ended the process\n`);
    process.exitCode ||= exitCode;
  };
  process.once("exit", exited);
  try {
    return await work();
  } finally {
    process.off("exit", exited);
  }
}

/** Why this runtime cannot load the file, if it cannot. @param isPlain whether it knows JavaScript only. */
export function typescriptRefusal(url: string, isPlain: boolean, version: string): string | undefined {
  if (!isPlain || !/\.[cm]?tsx?$/u.test(url)) return undefined;
  return `Node ${version} cannot load TypeScript: write it as .js or .mjs, or run this on Bun, Deno or Node >= 22.18`;
}

async function imported(url: string): Promise<{ readonly policy?: unknown }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new PolicyFault(`Cannot load it: it has not been ready for ${LOAD_SECONDS_MAX} s`)),
      1000 * LOAD_SECONDS_MAX,
    );
  });
  try {
    return (await Promise.race([import(url), late])) as { readonly policy?: unknown };
  } catch (error) {
    if (error instanceof PolicyFault) throw error;
    throw new PolicyFault(`Cannot load it: ${explain(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** What the module loader of Bun throws beside what errors are elsewhere. */
interface Told extends Partial<Error> {
  readonly errors?: readonly Told[];
  readonly position?: { readonly line: number; readonly column: number } | null;
}

/** The mistake in one line, with its place where the runtime tells it: Bun apart, Deno in the lines that follow, Node not. */
function explain(error: unknown): string {
  const all = (error ?? {}) as Told;
  const { name = "", message, position } = all.errors?.[0] ?? all;
  const [line = "", ...rest] = String(message ?? error)
    .trim()
    .split("\n");
  const isNamed = name === "Error" || name === "" || name.endsWith("Message") || /^\w*Error: /u.test(line);
  const place = position == null ? /:\d+:\d+$/mu.exec(rest.join("\n"))?.[0] : `:${position.line}:${position.column}`;
  return `${isNamed ? line : `${name}: ${line}`}${place === undefined ? "" : ` (line ${place.slice(1)})`}`;
}

/**
 * The policy of a trial, from the catalogue or from its module.
 *
 * @param failed is told in one line what a module's policy does wrong while the trial runs; those of the catalogue do not.
 * @throws {PolicyFault} for a module that is not as it should be; RangeError for a name or options that there are not.
 */
export async function resolveTrialPolicy(spec: PolicySpec, failed: (why: string) => void): Promise<ResolvedPolicy> {
  const { name, options, module } = spec;
  if (module === undefined) return resolvePolicy(name, options);
  const preset = await loadPolicyModule(module);
  return resolvePreset(guardedPreset(preset, failed), options);
}

/**
 * Whether an error says that a user's own policy has failed. By its name: it may come from another thread.
 */
export function isPolicyFault(error: unknown): error is PolicyFault {
  return error instanceof Error && error.name === POLICY_FAULT;
}
