/**
 * The names of all figures that a result can have, taken from its schema: what has a number there has a name here. Names are
 * the paths in the result file, with short ones for what is asked for most.
 */

import { METRICS, type Metric } from "../figures/metrics.ts";
import { resultJsonSchema } from "../result/json-schema.ts";
import type { FigureName, Scope } from "./assertion.ts";
import { lazily } from "./lazily.ts";
import { BARE, BYTES, COUNT, MILLISECONDS, PLAIN, RATE, SECONDS, SHARE, type Unit } from "./unit.ts";

/** What lies at a path: a number, named parts, or parts with names that only a result knows, such as statuses. */
type Node =
  | { readonly kind: "number"; readonly unit: Unit; readonly text: string }
  | { readonly kind: "parts"; readonly parts: ReadonlyMap<string, Node>; readonly latency: boolean }
  | { readonly kind: "record"; readonly part: Node };

/** The part of JSON Schema that the result's schema is written in. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly propertyNames?: { readonly enum?: readonly string[] };
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Lists whose items have a name, and which of their fields it is. */
export const NAMED_ITEMS: Readonly<Record<string, string>> = { criticality: "class", reasons: "code" };

const RATES: ReadonlySet<string> = new Set(["offered", "sent", "accepted", "goodput", "throttled", "rps"]);
const SHARES: ReadonlySet<string> = new Set([
  ...["waste", "cpuRejectRatio", "failedShare", "failureBound", "holdBand", "okBefore", "depth"],
]);
/** Bounds on a share. */
const SHARE_BOUNDS: ReadonlySet<string> = new Set(["high", "low"]);
/** Where a rate may be meant: elsewhere, `sent` and the like are counts. */
const RATE_PARENTS: ReadonlySet<string> = new Set(["rates", "figures", "plan", "sentinel", "governor", "capacity"]);
const PERCENTILE = /^p(\d+(?:\.\d+)?)Ms$/u;
/** Stored percentiles whose names are not their numbers. */
const STORED_PERCENTILES: ReadonlySet<string> = new Set(["p50Ms", "p90Ms", "p99Ms", "p999Ms"]);

/** What a comparison says of an arm against the baseline, metric by metric. */
const CONTRAST_FIGURES = ["ratio", "difference", "pValue", "adjustedPValue", "detectable"] as const;
/** Those of them that have an interval. */
const WITH_INTERVAL: ReadonlySet<string> = new Set(["ratio", "difference"]);
const BOUNDS: ReadonlySet<string> = new Set(["low", "high"]);

interface Catalogue {
  readonly trial: Node;
  readonly result: Node;
}

/** A constant, but it takes tens of milliseconds to make, and only who asserts something needs it. */
const catalogue = lazily((): Catalogue => build(resultJsonSchema() as Schema));

function build({ properties = {} }: Schema): Catalogue {
  const { trials, plan, design, environment, twin, capacity } = properties;
  const made = (twin?.oneOf ?? []).find((variant) => variant.properties?.figures !== undefined);
  const trial = nodeOf(trials?.items ?? {}, "", "") ?? leafless();
  const parts = new Map(trial.kind === "parts" ? trial.parts : []);
  // Worked out of the counters beside it.
  const target = parts.get("target");
  if (target?.kind === "parts") {
    const text = "Share of the target's CPU time for requests that went into rejections.";
    const more = new Map(target.parts).set("cpuRejectRatio", { kind: "number", unit: SHARE, text });
    parts.set("target", { ...target, parts: more });
  }
  const ofResult: Schema = {
    type: "object",
    properties: Object.fromEntries(
      Object.entries({ plan, design, environment, twin: figuresOf(made), capacity }).filter(
        (entry): entry is [string, Schema] => entry[1] !== undefined,
      ),
    ),
  };
  return { trial: { kind: "parts", parts, latency: false }, result: nodeOf(ofResult, "", "") ?? leafless() };
}

/** Of a twin its figures and its law. The trial behind them is one of its own, and not what was measured. */
function figuresOf(twin: Schema | undefined): Schema | undefined {
  if (twin === undefined) return undefined;
  const { trial: _trial, ...properties } = twin.properties ?? {};
  return { ...twin, properties };
}

function leafless(): Node {
  return { kind: "parts", parts: new Map(), latency: false };
}

/** @returns undefined where nothing in it is a number. */
function nodeOf(schema: Schema, name: string, parent: string): Node | undefined {
  const types = [schema.type ?? []].flat();
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const number = [schema, ...alternatives].find(({ type, const: constant }) =>
    constant === undefined ? [type ?? []].flat().some((each) => each === "number" || each === "integer") : false,
  );
  if (number !== undefined) {
    const integer = [number.type ?? []].flat().includes("integer");
    return { kind: "number", unit: unitOf(name, parent, integer), text: schema.description ?? "" };
  }
  const known = alternatives.filter(({ type }) => type !== "null");
  // Something, or null where there is none of it.
  if (known.length === 1) return nodeOf(known[0] ?? {}, name, parent);
  if (types.includes("array")) {
    if (NAMED_ITEMS[name] === undefined || schema.items === undefined) return undefined;
    const part = nodeOf(schema.items, "", name);
    return part === undefined ? undefined : { kind: "record", part };
  }
  const parts = new Map<string, Node>();
  const add = (key: string, of: Schema): void => {
    const part = nodeOf(of, key, name);
    if (part !== undefined) parts.set(key, part);
  };
  for (const [key, of] of Object.entries(schema.properties ?? {})) add(key, of);
  const { additionalProperties: each, propertyNames } = schema;
  if (typeof each === "object") {
    if (propertyNames?.enum === undefined) {
      const part = nodeOf(each, name, parent);
      return part === undefined ? undefined : { kind: "record", part };
    }
    for (const key of propertyNames.enum) add(key, each);
  }
  return parts.size === 0 ? undefined : { kind: "parts", parts, latency: schema.properties?.hdr !== undefined };
}

function unitOf(name: string, parent: string, integer: boolean): Unit {
  if (name.endsWith("Ms")) return MILLISECONDS;
  if (name.endsWith("Seconds") || name === "seconds") return SECONDS;
  if (name.endsWith("Bytes")) return BYTES;
  // The figures of a twin lie one deeper, under the names of what they are figures of.
  if (name === "real" || name === "twin")
    return parent.endsWith("Ms") ? MILLISECONDS : RATES.has(parent) ? RATE : PLAIN;
  if (RATES.has(name) && RATE_PARENTS.has(parent) && !integer) return RATE;
  if (SHARES.has(name) || (parent === "governor" && SHARE_BOUNDS.has(name))) return SHARE;
  // Of the goodput of a capacity.
  if (name === "sentDuring" || (parent === "interval" && SHARE_BOUNDS.has(name))) return RATE;
  if (parent === "reasons" || name === "options" || name === "settings") return BARE;
  return integer ? COUNT : PLAIN;
}

/** Short names of figures of a trial. */
const SHORT: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...["goodput", "offered", "sent", "accepted"].map((rate) => [rate, ["rates", rate]] as const),
  ...["planned", "ok", "throttled", "budget", "failed", "broken", "limited", "deadline", "dropped", "unfinished"].map(
    (outcome) => [outcome, ["calls", outcome]] as const,
  ),
  ["jain", ["users", "jain"]],
  ["cpuRejectRatio", ["target", "cpuRejectRatio"]],
]);
/** Parts of `latency` that need not be said to be. */
const OF_LATENCY: ReadonlySet<string> = new Set(["response", "service", "wait", "lateness"]);

/** The figure that a name stands for; undefined when no result can have it. @param parts the name, split at its dots. */
export function findFigure(parts: readonly string[]): FigureName | undefined {
  return recoveryOfArm(parts) ?? findTrialFigure(parts) ?? ofArm(parts) ?? walk(catalogue().result, parts, "result");
}

/** The figure that a name stands for where it is looked up trial by trial; undefined when no trial has it. */
export function findTrialFigure(parts: readonly string[]): FigureName | undefined {
  const [first = ""] = parts;
  const short = parts.length === 1 ? SHORT.get(first) : undefined;
  const path = short ?? (OF_LATENCY.has(first) ? ["latency", ...parts] : parts);
  return walk(catalogue().trial, path, "trial");
}

function walk(root: Node, path: readonly string[], scope: Scope): FigureName | undefined {
  let node = root;
  for (const [index, part] of path.entries()) {
    if (node.kind === "number") return undefined;
    if (node.kind === "record") {
      if (path[index - 1] === "statuses" && !/^[1-5](?:\d\d|xx)$/u.test(part)) return undefined;
      node = node.part;
      continue;
    }
    const next = node.parts.get(part);
    if (next === undefined) {
      const percentile = node.latency ? percentileName(path.slice(index).join(".")) : undefined;
      return percentile === undefined
        ? undefined
        : { scope, path: [...path.slice(0, index), percentile], unit: MILLISECONDS };
    }
    node = next;
  }
  return node.kind === "number" ? { scope, path, unit: node.unit } : undefined;
}

/** The name under which a percentile is kept: one that the file has goes by its name there. */
function percentileName(name: string): string | undefined {
  const percent = Number(PERCENTILE.exec(name)?.[1] ?? Number.NaN);
  if (!(percent > 0 && percent <= 100)) return undefined;
  if (percent === 100) return "maxMs";
  if (percent === 99.9) return "p999Ms";
  const plain = `p${percent}Ms`;
  return PERCENTILE.test(plain) ? plain : undefined;
}

/** The share of the values under a percentile; undefined for other names. `p999Ms` is 0.999. */
export function percentileShare(name: string): number | undefined {
  if (name === "p999Ms") return 0.999;
  const percent = PERCENTILE.exec(name)?.[1];
  return percent === undefined ? undefined : Number(percent) / 100;
}

/** Whether the file itself has that percentile. */
export function isStoredPercentile(name: string): boolean {
  return STORED_PERCENTILES.has(name);
}

function ofArm(parts: readonly string[]): FigureName | undefined {
  const [kind = "", name = "", bound] = parts;
  const metric = METRICS.find(({ key }) => key === name);
  if (metric === undefined || parts.length > 3 || !isContrastFigure(kind, metric)) return undefined;
  if (bound !== undefined && !(WITH_INTERVAL.has(kind) && BOUNDS.has(bound))) return undefined;
  return { scope: "arm", path: parts, unit: contrastUnit(kind, metric) };
}

/** Of an arm's recovery, whose trials may be stuck: what is censored has no median among them. */
const RECOVERY_FIGURES: readonly ListedFigure[] = [
  {
    name: "recovery.seconds",
    unit: SECONDS,
    text: "Until the system was back after the trigger, the median over the trials; in a sweep: until a disturbance is over.",
  },
  { name: "recovery.stuck", unit: SHARE, text: "Share of the trials that did not come back within the horizon." },
  {
    name: "recovery.horizonSeconds",
    unit: SECONDS,
    text: "How long it was looked at after the trigger; in a sweep: after a disturbance.",
  },
];

function recoveryOfArm(parts: readonly string[]): FigureName | undefined {
  const figure = RECOVERY_FIGURES.find(({ name }) => name === parts.join("."));
  return figure === undefined ? undefined : { scope: "arm", path: parts, unit: figure.unit };
}

function isContrastFigure(kind: string, { effect }: Metric): boolean {
  return WITH_INTERVAL.has(kind) ? kind === effect : (CONTRAST_FIGURES as readonly string[]).includes(kind);
}

function contrastUnit(kind: string, { effect, unit }: Metric): Unit {
  return effect === "difference" && unit === "share" && !kind.endsWith("Value") ? SHARE : PLAIN;
}

/** A name, and what it says. */
export interface ListedFigure {
  readonly name: string;
  readonly unit: Unit;
  readonly text: string;
}

/** All names, those that only a result knows as in `statuses.*`; short names where there are some. */
export function listFigures(): readonly ListedFigure[] {
  const { trial, result } = catalogue();
  const ofArm = new Set(RECOVERY_FIGURES.map(({ name }) => name));
  const ofTrial = list(trial, []).filter(({ name }) => !ofArm.has(name));
  const known = new Set(ofTrial.map(({ name }) => name));
  return [
    ...ofTrial,
    ...METRICS.flatMap(contrastNames),
    ...RECOVERY_FIGURES,
    ...list(result, []).filter(({ name }) => !known.has(name)),
  ];
}

function contrastNames(metric: Metric): ListedFigure[] {
  const { key, effect, name } = metric;
  const of = effect === "ratio" ? "over the baseline's" : "minus the baseline's";
  const texts: Readonly<Record<string, string>> = {
    [effect]: `The arm's ${name} ${of}, over the pairs.`,
    [`${effect}.low`]: "The lower end of its interval.",
    [`${effect}.high`]: "The upper end of its interval.",
    pValue: "Its p-value.",
    adjustedPValue: "Its p-value, corrected for all metrics and contrasts.",
    detectable: "The smallest effect that so many pairs find in 80 % of experiments.",
  };
  return Object.entries(texts).map(([path, text]) => {
    const [kind = "", bound] = path.split(".");
    return {
      name: [kind, key, ...(bound === undefined ? [] : [bound])].join("."),
      unit: contrastUnit(kind, metric),
      text,
    };
  });
}

function list(node: Node, path: readonly string[]): ListedFigure[] {
  if (node.kind === "number") return [{ name: shortName(path), unit: node.unit, text: node.text }];
  if (node.kind === "record") return list(node.part, [...path, "*"]);
  return [...node.parts].flatMap(([key, part]) => list(part, [...path, key]));
}

/** A path as people write it: without what a short name leaves out. */
export function shortName(path: readonly string[]): string {
  const [first, second = "", ...rest] = path;
  if (first === "latency") return path.slice(1).join(".");
  const short = rest.length === 0 ? SHORT.get(second) : undefined;
  return short !== undefined && short[0] === first ? second : path.join(".");
}

/** All names as someone may write them, to find the one that was meant. */
export function figureNames(): readonly string[] {
  const full = listFigures().map(({ name }) => name);
  return [...full.filter((name) => !name.includes("*")), ...SHORT.keys()];
}
