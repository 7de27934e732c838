import { describe, expect, it } from "vitest";
import * as z from "zod";
import { resultJsonSchema } from "../../src/result/json-schema.ts";
import { type Result, resultSchema } from "../../src/result/schema.ts";
import { type JsonSchema, schemaIssues } from "../support/json-schema-check.ts";
import { compared, cure, spoiled as invalid, silent, simulated } from "../support/trial-cases.ts";
import { resultFixture } from "../support/trial-fixture.ts";

const schema = resultJsonSchema() as JsonSchema;

const RESULTS = {
  cure: compared(cure()),
  silent: compared([silent("off", 0), silent("on", 0)]),
  invalid: compared([invalid()]),
  virtual: resultFixture([simulated()], { command: "run" }),
  empty: resultFixture([], { partial: true }),
};

describe("resultJsonSchema()", () => {
  it("is a titled draft 2020-12 schema without an $id", () => {
    expect(Object.keys(schema).slice(0, 4)).toEqual(["$schema", "title", "description", "type"]);
    expect(schema).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema" });
    expect(schema).not.toHaveProperty("$id");
  });

  it("comes out the same every time", () => {
    expect(JSON.stringify(resultJsonSchema())).toBe(JSON.stringify(schema));
  });

  it.each(Object.entries(RESULTS))("accepts the result '%s', as the zod schema does", (_, result) => {
    expect(resultSchema.safeParse(result).success).toBe(true);
    expect(schemaIssues(schema, JSON.parse(JSON.stringify(result)))).toEqual([]);
  });

  it("requires the same keys as the zod schema, at every level, and allows no others", () => {
    let objects = 0;
    walk(resultSchema, schema, "$", (zod, json, path) => {
      objects++;
      const required = Object.entries(zod.shape)
        .filter(([, field]) => !(field instanceof z.ZodOptional))
        .map(([key]) => key);
      expect([path, json.required ?? []]).toEqual([path, required]);
      expect([path, Object.keys(json.properties ?? {})]).toEqual([path, Object.keys(zod.shape)]);
      expect([path, json.additionalProperties]).toEqual([path, false]);
    });
    expect(objects).toBeGreaterThan(20);
  });

  it.each<[string, (result: Result) => unknown]>([
    ["a missing field", ({ plan: _, ...rest }) => rest],
    ["an unknown field", (result) => ({ ...result, extra: 1 })],
    ["a wrong type", (result) => ({ ...result, partial: "no" })],
    ["another version", (result) => ({ ...result, schemaVersion: 3 })],
    ["a negative count", (result) => ({ ...result, plan: { ...result.plan, users: -1 } })],
  ])("refuses %s, as the zod schema does", (_, spoil) => {
    const spoiled = spoil(RESULTS.cure);
    expect(resultSchema.safeParse(spoiled).success).toBe(false);
    expect(schemaIssues(schema, spoiled)).not.toEqual([]);
  });
});

/** Calls `visit` with each object of the zod schema and its counterpart. */
function walk(
  zod: unknown,
  json: JsonSchema,
  path: string,
  visit: (zod: z.ZodObject, json: JsonSchema, path: string) => void,
): void {
  if (zod instanceof z.ZodOptional) walk(zod.unwrap(), json, path, visit);
  else if (zod instanceof z.ZodArray) walk(zod.element, json.items ?? {}, `${path}[]`, visit);
  else if (zod instanceof z.ZodRecord && typeof json.additionalProperties === "object") {
    walk(zod.valueType, json.additionalProperties, `${path}{}`, visit);
  } else if (zod instanceof z.ZodRecord) {
    for (const [key, field] of Object.entries(json.properties ?? {}))
      walk(zod.valueType, field, `${path}.${key}`, visit);
  } else if (zod instanceof z.ZodObject) {
    visit(zod, json, path);
    for (const [key, field] of Object.entries(zod.shape))
      walk(field, json.properties?.[key] ?? {}, `${path}.${key}`, visit);
  }
}
