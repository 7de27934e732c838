/** The modules of policies that a result names: they are run only if they are what they were. */

import { createHash } from "node:crypto";
import type { Command } from "commander";
import type { Result } from "../../result/schema.ts";
import { CliError } from "../cli-error.ts";
import type { Composite } from "../flags/composite.ts";
import { isFile } from "../flags/policy-flag.ts";
import type { Host } from "../host.ts";
import { readBytes } from "../input-file.ts";

/** Flags that name policies. */
const NAMING = ["policy", "arm"] as const;

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * To be called before a module is loaded. What the command line names itself is trusted.
 *
 * @param command has the flags of the result.
 * @param path of the result, for messages.
 * @throws CliError for a module that is another one than the result says, or of which it says nothing.
 */
export async function checkPolicyFiles(host: Host, command: Command, { config }: Result, path: string): Promise<void> {
  const digests = digestsOf(config);
  for (const flag of NAMING) {
    if (command.getOptionValueSource(flag) === "cli") continue;
    for (const file of filesIn(command.getOptionValue(flag))) {
      const digest = sha256Of(await readBytes(host, `${path}: --${flag}`, file));
      if (digests.get(file)?.has(digest) === true) continue;
      const why = digests.has(file) ? "is not the file that it was" : "is a file of which the result says nothing";
      throw new CliError(`${path}: the policy ${file} ${why}, so it is not run: give --${flag} again to run it`);
    }
  }
}

/** By the path of the module. */
function digestsOf({ arms }: Result["config"]): ReadonlyMap<string, ReadonlySet<string>> {
  const digests = new Map<string, Set<string>>();
  for (const arm of Array.isArray(arms) ? (arms as readonly unknown[]) : []) {
    const { policyFile, policySha256 } = (arm ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof policyFile !== "string" || typeof policySha256 !== "string") continue;
    digests.set(policyFile, (digests.get(policyFile) ?? new Set()).add(policySha256));
  }
  return digests;
}

/** @param value of `--policy`, one or the list of a sweep, or of `--arm`. */
function filesIn(value: unknown): readonly string[] {
  return [value ?? []]
    .flat()
    .map((each) => (each as { readonly policy?: Composite; readonly value?: Composite }).policy ?? each)
    .map((each) => (each as { readonly value?: Composite }).value ?? (each as Composite))
    .flatMap(({ name }) => (isFile(name) ? [name] : []));
}
