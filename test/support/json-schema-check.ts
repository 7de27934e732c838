/** As much of JSON Schema as the result's schema uses; any other keyword is an issue of its own. */

export interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
}

const KEYWORDS = new Set([
  "$schema",
  "title",
  "description",
  "type",
  "const",
  "enum",
  "anyOf",
  "oneOf",
  "minimum",
  "maximum",
  "items",
  "properties",
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
    const own = schema.properties?.[key] ?? schema.additionalProperties ?? {};
    if (own === false) issues.push(`${path}.${key}: unknown`);
    else if (own !== true) issues.push(...schemaIssues(own, field, `${path}.${key}`));
  }
  return issues;
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
