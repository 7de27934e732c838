/** Brings documents of older schema versions up to {@link SCHEMA_VERSION}, a version at a time. */

import { SCHEMA_VERSION } from "./schema.ts";

/** A document as JSON has it; the schema says afterwards whether it is a result. */
type Document = Readonly<Record<string, unknown>>;

/** The step from a version to the next one. */
const STEPS: Readonly<Record<number, (document: Document) => Document>> = { 1: fromVersion1 };

/** @returns undefined when no way leads from the document's version to this program's. */
export function upgrade(document: Document): Document | undefined {
  let current = document;
  while (current.schemaVersion !== SCHEMA_VERSION) {
    const step = STEPS[Number(current.schemaVersion)];
    if (step === undefined) return undefined;
    current = step(current);
  }
  return current;
}

/**
 * Version 2 says how the experiment was laid out, what load each trial had, and compares arms by all metrics. A comparison
 * of version 1 is left out: it follows from the trials.
 */
function fromVersion1({ comparison: _, ...document }: Document): Document {
  const plan = objectOf(document.plan);
  const load = { users: plan.users, rate: plan.rate, rps: plan.rps };
  const trials = arrayOf(document.trials).map((trial) => withLoad(trial, load));
  const twin = objectOf(document.twin);
  return {
    ...document,
    schemaVersion: 2,
    design: designOf(trials, plan.seed),
    trials,
    ...(twin.trial === undefined ? {} : { twin: { ...twin, trial: withLoad(objectOf(twin.trial), load) } }),
  };
}

function withLoad(trial: Document, load: Document): Document {
  return { ...trial, plan: { ...objectOf(trial.plan), ...load }, series: arrayOf(trial.series).map(withSentInSecond) };
}

/** The first files of version 1 did not count it. What was sent for the calls of a second is close, but for a backlog. */
function withSentInSecond(row: Document): Document {
  return { ...row, sentInSecond: row.sentInSecond ?? row.sent };
}

/** What the trials show of it: an experiment that was cut short may have been meant to have more pairs. */
function designOf(trials: readonly Document[], seed: unknown): Document {
  return {
    arms: [...new Set(trials.map((trial) => trial.arm))],
    pairs: Math.max(0, ...trials.map((trial) => Number(trial.pair) + 1)),
    seed,
    chance: "common",
    stopping: { rule: "all-pairs" },
  };
}

function objectOf(value: unknown): Document {
  return typeof value === "object" && value !== null ? (value as Document) : {};
}

function arrayOf(value: unknown): readonly Document[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
