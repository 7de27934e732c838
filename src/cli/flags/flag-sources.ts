/** Who said what a flag is: default < configuration file < environment < flag, and what follows for flags that belong together. */

import type { Command, Option } from "commander";
import { isMultiple, type RpsFlag } from "./capacity-rate.ts";
import type { Composite } from "./composite.ts";
import type { Listed } from "./value-list.ts";

/** The names under which commander keeps who set a value, each stronger than the one before. */
const SOURCES = ["default", "config", "env", "cli"] as const;

export type FlagSource = (typeof SOURCES)[number];

/** Flags that say when calls arrive. */
const RATES = ["rps", "stages", "sine", "replay"] as const;

/** Flags of which one is the answer to one question: the strongest source answers it. */
const ALTERNATIVES = [["url", "sim", "target"], RATES, ["body", "bodyFile"], ["arm", "policy"]] as const;

/** Flags that mean nothing beside another, which wins when a stronger source gave it. */
const DISPLACED = [
  ["duration", "stages"],
  ["arrival", "replay"],
  ["script", "url"],
  ["twin", "sim"],
  ["push", "sim"],
  ["pushFormat", "sim"],
  ["pushHeader", "sim"],
  ["k", "arm"],
  ["window", "arm"],
  ["scope", "arm"],
  ["arm", "k"],
  ["arm", "window"],
  ["arm", "scope"],
] as const;

/** Flags that stand for an option of the policy. */
const SHORTHANDS = ["k", "window", "scope"] as const;

/** Whether `source` may set the flag, whatever it is now. */
export function maySet(command: Command, name: string, source: FlagSource): boolean {
  return strengthOf(command, name) <= SOURCES.indexOf(source);
}

/**
 * Takes back what a weaker source said where a stronger one says otherwise in other words: `--sim` a `url` of the file, `--policy
 * sre,k=2` its `k`. What one source says in two ways is left as it is: to be refused, but for `--k`, which wins over a `k` in the
 * `--policy` beside it.
 */
export function settleSources(command: Command): void {
  for (const names of ALTERNATIVES) {
    const strongest = Math.max(...names.map((name) => strengthOf(command, name)));
    for (const name of names) if (strengthOf(command, name) < strongest) takeBack(command, name);
  }
  for (const [name, by] of DISPLACED) {
    if (strengthOf(command, by) > strengthOf(command, name)) takeBack(command, name);
  }
  settleGovernor(command);
  if (command.getOptionValue("replay") === undefined && strengthOf(command, "replaySpeed") < SOURCES.indexOf("cli")) {
    takeBack(command, "replaySpeed");
  }
  const policy = command.getOptionValue("policy") as Composite | readonly unknown[] | string | undefined;
  // In the list of a sweep each policy keeps what it says itself.
  const inPolicy = typeof policy !== "object" || !("options" in policy) ? {} : policy.options;
  for (const name of SHORTHANDS) {
    const isInPolicy = Object.hasOwn(inPolicy, name);
    if (isInPolicy && strengthOf(command, name) < strengthOf(command, "policy")) takeBack(command, name);
  }
}

/** The governor finds a capacity: a load that is no multiple of one, from another source, is another answer to the same question. */
function settleGovernor(command: Command): void {
  const rps = command.getOptionValue("rps") as RpsFlag | readonly Listed<RpsFlag>[] | undefined;
  const rates = Array.isArray(rps) ? rps.map(({ value }: Listed<RpsFlag>) => value) : [rps as RpsFlag | undefined];
  if (rates.some(isMultiple)) return;
  const governor = strengthOf(command, "governor");
  const strongest = Math.max(...RATES.map((name) => strengthOf(command, name)));
  if (strongest > governor) takeBack(command, "governor");
  if (strongest < governor) for (const name of RATES) takeBack(command, name);
}

/** Whether the flag is left at its default as another one, which is not, says what it would say. */
export function isDisplaced(command: Command, name: string): boolean {
  if (strengthOf(command, name) > 0) return false;
  const others = ALTERNATIVES.filter((names) => (names as readonly string[]).includes(name)).flat();
  const by = DISPLACED.filter(([displaced]) => displaced === name).map(([, other]) => other);
  return [...others, ...by].some((other) => strengthOf(command, other) > 0);
}

function strengthOf(command: Command, name: string): number {
  return Math.max(0, SOURCES.indexOf((command.getOptionValueSource(name) ?? "default") as FlagSource));
}

function takeBack(command: Command, name: string): void {
  const option = command.options.find((candidate: Option) => candidate.attributeName() === name);
  if (option !== undefined) command.setOptionValueWithSource(name, option.defaultValue, "default");
}
