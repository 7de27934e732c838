/** Which JavaScript runtime this is, and how to start another program on it. */

import process from "node:process";

export type RuntimeName = "bun" | "deno" | "node";

export interface Runtime {
  readonly name: RuntimeName;
  readonly version: string;
}

export function currentRuntime(): Runtime {
  // `process.versions` alone will do: Bun and Deno both put themselves there, beside the Node version they speak for.
  const { bun, deno } = process.versions as Record<string, string | undefined>;
  if (bun !== undefined) return { name: "bun", version: bun };
  if (deno !== undefined) return { name: "deno", version: deno };
  return { name: "node", version: process.versions.node };
}

/** Whether modules in TypeScript can be loaded as they are; Node before 22.18 cannot. */
export function loadsTypescript(): boolean {
  const { typescript = false } = process.features as { readonly typescript?: unknown };
  return currentRuntime().name !== "node" || typescript !== false;
}

/** The command and arguments that start the module at `file` on the runtime that runs this one. */
export function commandFor(file: string): { readonly command: string; readonly args: readonly string[] } {
  const args = currentRuntime().name === "deno" ? ["run", "-A", file] : [file];
  return { command: process.execPath, args };
}
