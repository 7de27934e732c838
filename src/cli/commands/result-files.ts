/** Result files that commands read. */

import { fileNames } from "../../comparison/file-names.ts";
import type { NamedResult } from "../../report/named-result.ts";
import { parseResult } from "../../result/read-result.ts";
import { StoreError } from "../../result/store-error.ts";
import { CliError } from "../cli-error.ts";
import type { Host } from "../host.ts";
import { readText } from "../input-file.ts";
import { withConclusions } from "../session/conclusions.ts";

/** The results with all that follows from them, each with a name of its own that its path gives. @throws CliError that says the file and what it lacks. */
export async function readResults(
  host: Host,
  command: string,
  paths: readonly string[],
): Promise<readonly NamedResult[]> {
  const names = fileNames(paths);
  const results: NamedResult[] = [];
  for (const [index, path] of paths.entries()) {
    const text = await readText(host, `${command}: each argument`, path);
    try {
      results.push({ name: names[index] ?? path, result: withConclusions(parseResult(text, path)) });
    } catch (error) {
      if (error instanceof StoreError) throw new CliError(error.message);
      throw error;
    }
  }
  return results;
}
