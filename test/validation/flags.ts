/** The flags of the validation. */

import path from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../bench/executables.ts";
import type { Experiment } from "./experiment.ts";
import type { World } from "./report.ts";

export interface Flags {
  /** What to carry out, in order. */
  readonly tasks: readonly Task[];
  readonly quick: boolean;
  /** The Markdown file; the JSON file is beside it. */
  readonly output: string;
  readonly json: boolean;
  readonly docs: boolean;
}

export interface Task {
  readonly experiment: Experiment;
  readonly world: World;
}

const WORLDS: Readonly<Record<string, readonly World[]>> = {
  virtual: ["virtual"],
  real: ["real"],
  all: ["virtual", "real"],
};
const MARKDOWN = ".md";

/** @throws Error in one line for a wrong flag. */
export function parseFlags(args: readonly string[], experiments: readonly Experiment[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      world: { type: "string", default: "all" },
      quick: { type: "boolean", default: false },
      output: { type: "string", default: path.join(ROOT, "results", "validation.md") },
      json: { type: "boolean", default: false },
      docs: { type: "boolean", default: false },
    },
  });
  const { only, world, quick, output, json, docs } = values;
  const worlds = WORLDS[world];
  if (worlds === undefined) throw wrong("world", `be one of ${Object.keys(WORLDS).join(", ")}`, world);
  if (!output.endsWith(MARKDOWN)) throw wrong("output", `end in ${MARKDOWN}`, output);
  if (docs && (only !== undefined || quick || world !== "all")) {
    throw wrong("docs", "stand without --only, --quick and --world, as the document shows everything", "true");
  }
  const tasks = worlds.flatMap((kind) => tasksIn(kind, chosen(only, experiments)));
  if (tasks.length === 0) throw wrong("only", "list experiments that there are in that world", only ?? "");
  return { tasks, quick, output, json, docs };
}

function chosen(list: string | undefined, experiments: readonly Experiment[]): readonly Experiment[] {
  if (list === undefined) return experiments;
  const ids = list.split(",").map((id) => id.trim().toUpperCase());
  const strange = ids.find((id) => !experiments.some((experiment) => experiment.id === id));
  if (strange !== undefined) {
    throw wrong("only", `list some of ${experiments.map(({ id }) => id).join(", ")}`, strange);
  }
  return experiments.filter(({ id }) => ids.includes(id));
}

function tasksIn(world: World, experiments: readonly Experiment[]): readonly Task[] {
  return experiments
    .filter(({ real }) => world === "virtual" || real !== undefined)
    .map((experiment) => ({ experiment, world }));
}

function wrong(flag: string, rule: string, value: string): Error {
  return new Error(`--${flag} must ${rule}: current value is "${value}"`);
}
