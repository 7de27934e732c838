/** The JSON Schema of configuration files, made from the flags themselves: editors complete and check files with it. */

import type { Command, Option } from "commander";
import { parseCount, parseDuration, parseRate } from "../../plan/units.ts";
import { policyPresets } from "../../policy/catalogue.ts";
import { type Parse, parserOf } from "../flags/add-option.ts";
import { parseAge } from "../flags/age-option.ts";
import { parseRps } from "../flags/capacity-rate.ts";
import { isRepeatable, takesCommas, takesMaps } from "../flags/flag-lists.ts";
import { keyOf } from "../flags/flag-texts.ts";
import {
  byteSize,
  choicesOf,
  nonNegativeCount,
  positiveDuration,
  positiveNumber,
  url,
  wholeNumber,
} from "../flags/flag-values.ts";
import { COMMAND_KEY, configurable, SCHEMA_KEY } from "./config-file.ts";

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: ["string", "number"] };
/** An entry of a list; a text may be several, as in `500..4000/8`. */
const ENTRY: Schema = { anyOf: [{ type: "number", exclusiveMinimum: 0 }, { type: "string" }] };
const SPAN = String.raw`(?=\d)(\d+(\.\d+)?h)?(\d+(\.\d+)?m(?!s))?(\d+(\.\d+)?s)?(\d+(\.\d+)?ms)?(\d+(\.\d+)?us)?`;
const DURATION = `^${SPAN}$`;
const RATE = String.raw`\d+(_\d+)*(\.\d+)?(/[sm])?`;
const COUNT = String.raw`^\d+(_\d+)*$`;

/** What the strict parsers take, as far as a schema can say it. */
const BY_PARSER: ReadonlyMap<Parse, Schema> = new Map<Parse, Schema>([
  [parseRate, numberOr({ exclusiveMinimum: 0 }, `^${RATE}$`)],
  [parseRps, numberOr({ exclusiveMinimum: 0 }, String.raw`^(${RATE}|(\d+(\.\d+)?x-)?capacity)$`)],
  [parseDuration, { anyOf: [{ const: 0 }, { type: "string", pattern: `^0$|${DURATION}` }] }],
  [positiveDuration, { type: "string", pattern: DURATION }],
  [parseAge, { type: "string", pattern: `^(none|${SPAN}(,latency=(0|${SPAN}))?)$` }],
  [parseCount, integerOr(1, COUNT)],
  [nonNegativeCount, integerOr(0, COUNT)],
  [wholeNumber, integerOr(0, String.raw`^\d+$`)],
  [positiveNumber, numberOr({ exclusiveMinimum: 0 }, String.raw`^\d+(\.\d+)?$`)],
  [byteSize, { type: "string", pattern: String.raw`^\d+(\.\d+)?(B|kB|MB|GB|KiB|MiB|GiB)$` }],
  [url, { type: "string", pattern: "^[hH][tT][tT][pP][sS]?:" }],
]);

function numberOr(bounds: Schema, pattern: string): Schema {
  return {
    anyOf: [
      { type: "number", ...bounds },
      { type: "string", pattern },
    ],
  };
}

function integerOr(minimum: number, pattern: string): Schema {
  return {
    anyOf: [
      { type: "integer", minimum },
      { type: "string", pattern },
    ],
  };
}

/**
 * The JSON Schema (draft 2020-12) of the files that `--config` takes: every key that some command takes. Keys have the spelling
 * with dashes as properties; that in camel case, and `no-pin` for `pin`, are taken too, and not offered.
 *
 * @param commands all of the program's.
 */
export function configJsonSchema(commands: readonly Command[]): Record<string, unknown> {
  const taking = configurable(commands);
  const byKey = new Map<string, { readonly option: Option; readonly schemas: Schema[] }>();
  for (const option of taking.flatMap(({ options }) => options)) {
    if (option.attributeName() === "config") continue;
    const entry = byKey.get(keyOf(option)) ?? { option, schemas: [] };
    const schema = valueSchema(option);
    if (!entry.schemas.some((known) => JSON.stringify(known) === JSON.stringify(schema))) entry.schemas.push(schema);
    byKey.set(keyOf(option), entry);
  }
  const properties: Record<string, unknown> = {
    [SCHEMA_KEY]: { type: "string", description: "where an editor finds this schema" },
    [COMMAND_KEY]: {
      enum: taking.map((command) => command.name()),
      description: "which command the file is for; without it, it serves all of them",
    },
  };
  const patternProperties: Record<string, unknown> = {};
  for (const [key, { option, schemas }] of byKey) {
    const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
    properties[key] = { description: option.description, ...schema, ...defaultOf(option) };
    for (const spelling of otherSpellings(option)) patternProperties[`^${spelling}$`] = schema;
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "overload-bench configuration",
    description: "Flags by their long names: what overload-bench --config takes, as YAML or JSON.",
    type: "object",
    properties,
    patternProperties,
    additionalProperties: false,
  };
}

function otherSpellings(option: Option): readonly string[] {
  const names = new Set([keyOf(option), option.name()].flatMap((name) => [name, camelCase(name)]));
  names.delete(keyOf(option));
  return [...names];
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

function defaultOf({ defaultValue, defaultValueDescription, negate }: Option): Schema {
  if (negate) return { default: true };
  if (typeof defaultValue === "boolean") return { default: defaultValue };
  return defaultValueDescription === undefined ? {} : { default: defaultValueDescription };
}

function valueSchema(option: Option): Schema {
  if (!option.required && !option.optional) return { type: "boolean" };
  const one = oneSchema(option);
  const some = isRepeatable(option) || takesCommas(option) ? withLists(one) : one;
  return option.optional ? { anyOf: [{ type: "boolean" }, some] } : some;
}

function withLists(one: Schema): Schema {
  return { anyOf: [one, { type: "array", items: one }] };
}

function oneSchema(option: Option): Schema {
  if (takesMaps(option)) return mapSchema(option);
  const parse = parserOf(option);
  const choices = choicesOf(parse);
  if (choices !== undefined) return { enum: choices };
  return (parse === undefined ? undefined : BY_PARSER.get(parse)) ?? (takesCommas(option) ? ENTRY : TEXT);
}

/** A policy or an arm: a text, or a map with a name. */
function mapSchema(option: Option): Schema {
  const policyName: Schema = { anyOf: [{ enum: policyPresets.map(({ name }) => name) }, { type: "string" }] };
  const policy: Schema = {
    type: "object",
    properties: { name: policyName },
    required: ["name"],
    additionalProperties: TEXT,
  };
  if (option.attributeName() === "policy") return { anyOf: [...(policyName.anyOf as Schema[]), policy] };
  const arm: Schema = {
    type: "object",
    properties: { name: { type: "string" }, policy: { anyOf: [...(policyName.anyOf as Schema[]), policy] } },
    required: ["name"],
    additionalProperties: TEXT,
  };
  return { anyOf: [{ type: "string" }, arm] };
}
