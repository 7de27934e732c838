/** Files that flags name. */

import { CliError } from "./cli-error.ts";
import type { Host } from "./host.ts";

/** @throws CliError that names the flag and the file. */
export async function readBytes(host: Host, flag: string, path: string): Promise<Uint8Array> {
  try {
    return await host.readBytes(path);
  } catch (error) {
    const { code = "unreadable" } = error as { code?: string };
    throw new CliError(`${flag} must be a file that can be read: current value is "${path}" (${code})`);
  }
}

/** @throws CliError that names the flag and the file. */
export async function readText(host: Host, flag: string, path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(host, flag, path));
}
