/** As much of JSON Schema as the program's schemas use; any other keyword is an issue of its own. */

export interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
}

const KEYWORDS = new Set([
  "$schema",
  "title",
  "description",
  "default",
  "type",
  "const",
  "enum",
  "anyOf",
  "oneOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "pattern",
  "items",
  "properties",
  "patternProperties",
  "required",
  "additionalProperties",
  "propertyNames",
]);

/** What is wrong with `value`, each issue with its path; empty when it conforms. */
export function schemaIssues(schema: JsonSchema, value: unknown, path = "$"): string[] {
  const issues = Object.keys(schema)
    .filter((keyword) => !KEYWORDS.has(keyword))
    .map((keyword) => `${path}: keyword ${keyword} is not checked`);
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  if (types !== undefined && !types.some((type) => isOfType(type, value)))
    issues.push(`${path}: not ${types.join("|")}`);
  if (schema.const !== undefined && value !== schema.const) issues.push(`${path}: not ${String(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value)) issues.push(`${path}: not of the enum`);
  if (schema.anyOf !== undefined && !schema.anyOf.some((one) => schemaIssues(one, value, path).length === 0)) {
    issues.push(`${path}: fits none of anyOf`);
  }
  if (
    schema.oneOf !== undefined &&
    schema.oneOf.filter((one) => schemaIssues(one, value, path).length === 0).length !== 1
  ) {
    issues.push(`${path}: does not fit one of oneOf alone`);
  }
  if (typeof value === "number" && (value < (schema.minimum ?? value) || value > (schema.maximum ?? value)))
    issues.push(`${path}: out of range`);
  if (typeof value === "number" && value <= (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY))
    issues.push(`${path}: out of range`);
  if (typeof value === "string" && !new RegExp(schema.pattern ?? "", "u").test(value))
    issues.push(`${path}: not of the pattern`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      issues.push(...schemaIssues(schema.items ?? {}, item, `${path}[${index}]`));
  } else if (typeof value === "object" && value !== null) {
    issues.push(...objectIssues(schema, value, path));
  }
  return issues;
}

function objectIssues(schema: JsonSchema, value: object, path: string): string[] {
  const issues = (schema.required ?? []).filter((key) => !(key in value)).map((key) => `${path}.${key}: missing`);
  for (const [key, field] of Object.entries(value)) {
    if (schema.propertyNames !== undefined)
      issues.push(...schemaIssues(schema.propertyNames, key, `${path} key ${key}`));
    const own = schema.properties?.[key] ?? ofPattern(schema, key) ?? schema.additionalProperties ?? {};
    if (own === false) issues.push(`${path}.${key}: unknown`);
    else if (own !== true) issues.push(...schemaIssues(own, field, `${path}.${key}`));
  }
  return issues;
}

function ofPattern({ patternProperties = {} }: JsonSchema, key: string): JsonSchema | undefined {
  return Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern, "u").test(key))?.[1];
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
