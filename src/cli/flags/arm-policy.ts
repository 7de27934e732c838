/** From what the flags say of a policy to the policy of an arm, wherever it stands. */

import { pathToFileURL } from "node:url";
import type { Arm } from "../../experiment/experiment.ts";
import { describeRate } from "../../plan/describe.ts";
import { policyPresets, type ResolvedPolicy, resolvePolicy, resolvePreset } from "../../policy/catalogue.ts";
import { dryRun } from "../../policy/dry-run.ts";
import { didYouMean } from "../../policy/nearest-names.ts";
import { userPolicies } from "../../policy/user-policies.ts";
import { isPolicyFault, loadPolicyModule, survivingExit } from "../../world/policy-module.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Host } from "../host.ts";
import { readBytes } from "../input-file.ts";
import { sha256Of } from "../session/policy-files.ts";
import type { ArmChoice } from "./arm-flag.ts";
import type { LoadFlags } from "./load-options.ts";
import { isFile } from "./policy-flag.ts";

/** The file of a user's own policy. */
export interface PolicyFile {
  /** As it was given. */
  readonly path: string;
  readonly sha256: string;
}

/** An arm, and what its policy was resolved from. */
export interface PlannedArm extends Arm {
  readonly resolved: ResolvedPolicy;
  readonly file?: PolicyFile;
}

/** The flags that name the one policy of a command. */
export type PolicyFlags = Pick<LoadFlags, "policy" | "k" | "window" | "scope">;

/** A file that is a policy module, as its name tells. */
const MODULE = /\.[cm]?[jt]s$/u;

/**
 * The arm of the policy that the flags name, with `--k`, `--window` and `--scope` worked in. A policy of the user's own is
 * loaded and tried.
 *
 * @param name of the arm; default: the policy's.
 * @throws CliError
 */
export async function planArm(host: Host, flags: PolicyFlags, name?: string): Promise<PlannedArm> {
  const { policy: choice, k, window, scope } = flags;
  const given: Record<string, string | number> = { ...choice.options };
  for (const [option, value] of Object.entries({ k, window, scope })) if (value !== undefined) given[option] = value;
  const origin = choice.origin ?? "--policy";
  if (!isFile(choice.name)) {
    const resolved = resolving(origin, () => tried(resolvePolicy(knownName(choice.name), given)));
    return presetArm(name ?? resolved.name, resolved);
  }
  const path = choice.name;
  const place = `${origin} ${path}`;
  const bytes = await readBytes(host, origin, path);
  const url = pathToFileURL(path).href;
  const resolved = await survivingExit(place, EXIT.usage, async () => {
    const preset = await checking(place, () => loadPolicyModule(url));
    const options = resolving(place, () => resolvePreset(preset, given));
    await checking(place, async () => dryRun(preset, options.own));
    return resolving(place, () => tried(options));
  });
  return {
    name: name ?? resolved.name,
    policy: { name: resolved.name, options: resolved.options, module: url },
    resolved,
    file: { path, sha256: sha256Of(bytes) },
  };
}

/** An arm as `--arm` names it. @throws CliError */
export async function chosenArm(host: Host, choice: ArmChoice): Promise<PlannedArm> {
  const { name, policy, timeoutSeconds, age } = choice;
  const arm = await planArm(host, { policy }, name);
  const own = { ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }), ...(age === undefined ? {} : { age }) };
  return Object.keys(own).length === 0 ? arm : { ...arm, own };
}

/** An arm with a policy of the catalogue. */
export function presetArm(name: string, resolved: ResolvedPolicy): PlannedArm {
  return { name, policy: { name: resolved.name, options: resolved.options }, resolved };
}

/** Threads share nothing: says so where somebody may think otherwise. */
export function tellOfScope(arms: readonly PlannedArm[], workers: number, note: (text: string) => void): void {
  if (workers === 1 || arms.every(({ policy }) => policy.options.scope !== "process")) return;
  note(`With scope process each of the ${workers} workers has a policy of its own, for the users that it has`);
}

/** For the record: the policy of an arm with every option, and its file if it is the user's own. */
export function describeArm({ name, policy, file, own }: PlannedArm): Record<string, unknown> {
  const module = file === undefined ? {} : { policyFile: file.path, policySha256: file.sha256 };
  const timeout = own?.timeoutSeconds === undefined ? {} : { attemptTimeoutSeconds: own.timeoutSeconds };
  const age = own?.age === undefined ? {} : { age: own.age };
  const load = own?.plan === undefined ? {} : { rate: describeRate(own.plan), users: own.plan.users };
  return { arm: name, policy: policy.name, ...module, ...policy.options, ...timeout, ...age, ...load };
}

/** Makes a policy, as its options may be right each by itself and not together. @throws RangeError */
function tried(resolved: ResolvedPolicy): ResolvedPolicy {
  const chance = { random: () => 0.5 };
  userPolicies(resolved, { policy: () => chance, jitter: () => chance })(0, { now: () => 0 });
  return resolved;
}

/** @throws RangeError */
function knownName(name: string): string {
  const names = policyPresets.map((preset) => preset.name);
  if (names.includes(name)) return name;
  const file = MODULE.test(name) ? `: a file is written ./${name}` : didYouMean(name, names);
  throw new RangeError(`There is no policy '${name}'${file} (overload-bench policies lists all)`);
}

function resolving<T>(origin: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new CliError(`${origin}: ${error.message}`);
    throw error;
  }
}

async function checking<T>(origin: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPolicyFault(error)) throw new CliError(`${origin}: ${error.message}`);
    throw error;
  }
}
