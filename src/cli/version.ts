import { existsSync, readFileSync } from "node:fs";

/** The version in the package's own package.json: two folders up from the source, three from the compiled file. */
export function readVersion(): string {
  for (const path of ["../../package.json", "../../../package.json"]) {
    const file = new URL(path, import.meta.url);
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
    if (name === "overload-bench" && version !== undefined) return version;
  }
  return "0.0.0";
}
