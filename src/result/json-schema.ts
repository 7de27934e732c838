import * as z from "zod";
import { COMPARISON_VERSION, comparisonDocumentSchema } from "./comparison-document.ts";
import { resultSchema, SCHEMA_VERSION } from "./schema.ts";

/**
 * The JSON Schema (draft 2020-12) of the result file, made from {@link resultSchema}. Keys come in a fixed order: those of
 * the document, then the order of the fields in the schema's source.
 */
export function resultJsonSchema(): Record<string, unknown> {
  const { $schema, description, ...rest } = z.toJSONSchema(resultSchema, { target: "draft-2020-12" });
  return { $schema, title: `overload-bench result, version ${SCHEMA_VERSION}`, description, ...rest };
}

/** The same of the document that `compare --json` prints. */
export function comparisonJsonSchema(): Record<string, unknown> {
  const { $schema, description, ...rest } = z.toJSONSchema(comparisonDocumentSchema, { target: "draft-2020-12" });
  return { $schema, title: `overload-bench comparison, version ${COMPARISON_VERSION}`, description, ...rest };
}
