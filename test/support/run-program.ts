import process from "node:process";
import { fileURLToPath } from "node:url";

/** A program of this project that can be started on its own. */
export type Entry =
  | "targets/haproxy"
  | "targets/nginx"
  | "targets/null-server"
  | "targets/overloadable"
  | "bin/overload-bench";

/** A command line for `spawn`; the program's own arguments go behind `args`. */
export interface ProgramCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * How to start a program on the runtime that runs the tests: Bun and Deno take the source, Node takes what `tsc` has
 * put into `dist`, so the build comes before the tests there.
 */
export function programCommand(entry: Entry): ProgramCommand {
  const command = process.execPath;
  if ("Bun" in globalThis) return { command, args: [pathOf(`${entry}.ts`)] };
  if ("Deno" in globalThis) return { command, args: ["run", "-A", pathOf(`${entry}.ts`)] };
  return { command, args: [pathOf(`dist/${entry}.js`)] };
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}

/** The URL of a module of `src` that starts programs of this project: it looks for them beside itself, see {@link programCommand}. */
export function startingModule(file: string): string {
  const isSource = "Bun" in globalThis || "Deno" in globalThis;
  return new URL(isSource ? `../../src/${file}.ts` : `../../dist/src/${file}.js`, import.meta.url).href;
}
