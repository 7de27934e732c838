import { realpathSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** True when the file of `meta` was started, false when it was imported. Node 20 has no `import.meta.main`. */
export function isMainModule(meta: ImportMeta): boolean {
  const { main } = meta as { main?: boolean };
  if (main !== undefined) return main;
  const script = process.argv[1];
  return script !== undefined && realpathSync(script) === fileURLToPath(meta.url);
}
