import { readFile } from "node:fs/promises";
import { type Result, resultSchema, SCHEMA_VERSION } from "./schema.ts";
import { describeIssue } from "./schema-issue.ts";
import { describeFault, StoreError } from "./store-error.ts";
import { upgrade } from "./upgrade.ts";

/**
 * Reads a result file, also of an older version of the schema, and checks it.
 *
 * @throws StoreError with code `not-readable`, `not-json`, `wrong-version` or `invalid-result`.
 */
export async function readResult(path: string): Promise<Result> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const problem = `Cannot read '${path}': ${describeFault(cause)}`;
    throw new StoreError("not-readable", path, problem, "check the path", { cause });
  }
  return parseResult(text, path);
}

/** Parses the text of a result file. @param path is named in errors. */
export function parseResult(text: string, path: string): Result {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/u, ""));
  } catch (cause) {
    const problem = `Cannot read '${path}' as it is not JSON: ${describeFault(cause)}`;
    throw new StoreError("not-json", path, problem, "give a result file as overload-bench writes it", { cause });
  }
  const parsed = resultSchema.safeParse(ofThisVersion(document, path));
  if (parsed.success) return parsed.data;
  const problem = `Cannot read '${path}' as it breaks the schema at ${describeIssue(parsed.error)}`;
  throw new StoreError("invalid-result", path, problem, "'overload-bench schema' prints the schema");
}

/** Seen to before the fields: a document of another version breaks many rules, and only this one matters. */
function ofThisVersion(document: unknown, path: string): unknown {
  const isObject = typeof document === "object" && document !== null;
  const version: unknown = isObject && "schemaVersion" in document ? document.schemaVersion : undefined;
  if (!isObject || version === undefined) {
    const problem = `Cannot read '${path}' as it is no result: it has no schemaVersion`;
    throw new StoreError("wrong-version", path, problem, "give a result file as overload-bench writes it");
  }
  const upgraded = upgrade(document as Record<string, unknown>);
  if (upgraded !== undefined) return upgraded;
  const problem = `Cannot read '${path}' as its schemaVersion is ${JSON.stringify(version)}, this program reads 1 to ${SCHEMA_VERSION}`;
  throw new StoreError(
    "wrong-version",
    path,
    problem,
    "use the version of overload-bench that wrote it, or a newer one",
  );
}
