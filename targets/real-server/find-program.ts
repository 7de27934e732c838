import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The path of an installed program; undefined when there is none. Beside each `bin` on the PATH its `sbin` is searched as
 * well: servers are there, and on Debian it is on no ordinary user's PATH.
 */
export function findProgram(name: string, searchPath = process.env.PATH ?? DEFAULT_PATH): string | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== "");
  const siblings = folders.filter((folder) => /\/bin\/?$/.test(folder)).map((folder) => join(folder, "..", "sbin"));
  return [...folders, ...siblings].map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
