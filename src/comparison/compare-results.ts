/** Compares the arms of one result, or those of several. */

import { isSearch } from "../figures/is-search.ts";
import type { Metric } from "../figures/metrics.ts";
import type { Comparison } from "../result/comparison-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { armNames, type Forced, type Opponents, opponentsOf } from "./arms.ts";
import { type NamedResult, notesOn, reasonsAgainst } from "./comparable.ts";
import { type CompareOptions, compareArms } from "./compare-arms.ts";

/** A result, and what it is called. */
export interface Source {
  readonly name: string;
  readonly result: Result;
}

export interface SelectOptions {
  /** Arms to compare, by their names in the files. Default: all. A file with a single arm is always taken with it. */
  readonly arms?: readonly string[];
  /** The arm, or of several files the file, that the others are compared with. Default: the first. */
  readonly baseline?: string;
}

export interface CompareResultsOptions extends Pick<CompareOptions, "alpha" | "smallestEffect"> {
  readonly metrics: readonly Metric[];
  /** Whether to compare what speaks against being compared. */
  readonly isForced: boolean;
}

/** Whom to compare with whom. */
export interface Selection {
  readonly sources: readonly NamedResult[];
  /** All their trials; those of several files under the names that the comparison gives their arms. */
  readonly trials: readonly TrialResult[];
  readonly baseline: string;
  readonly opponents: readonly Opponents[];
  /** The compared arms of each source, by their names in the file. */
  readonly arms: readonly (readonly string[])[];
}

export interface ComparedResults {
  readonly comparison: Comparison;
  /** What speaks against comparing them. */
  readonly forced: readonly string[];
  readonly notes: readonly string[];
  /** As one result: that of the baseline, with all trials. */
  readonly result: Result;
}

/**
 * Who is compared with whom. In one file the arms are compared with its baseline. Of several files with an arm each, those arms
 * carry the names of the files; of files with several arms, arms of the same name are compared across the files.
 *
 * @throws RangeError when there is nothing to compare, or a name is none.
 */
export function select(sources: readonly Source[], options: SelectOptions = {}): Selection {
  const [only] = sources;
  if (only === undefined) throw new RangeError("There is no file to compare");
  const search = sources.find(({ result }) => isSearch(result));
  if (search !== undefined) {
    throw new RangeError(
      `${search.name} is a search for a capacity, whose figures over the whole climb say nothing: hold its capacity.goodput against a number, by check --assert`,
    );
  }
  return sources.length === 1 ? withinOne(only, options) : acrossSeveral(sources, options);
}

/**
 * @returns the comparison; or, where something speaks against it and it is not forced, only what that is.
 */
export function compareResults(
  { sources, trials, baseline, opponents }: Selection,
  { isForced, ...options }: CompareResultsOptions,
): ComparedResults | { readonly refusedFor: readonly string[] } {
  const forced = reasonsAgainst(sources);
  if (forced.length > 0 && !isForced) return { refusedFor: forced };
  const force: Forced = isForced && forced.length > 0 ? { invalid: true, otherArrivals: sources.length > 1 } : {};
  const [first] = sources;
  const design = sources.length === 1 ? first?.result.design : undefined;
  const comparison = compareArms(trials, baseline, {
    ...options,
    opponents,
    forced: force,
    ...(sources.length > 1 ? { namedBy: "arm" } : {}),
    ...(design === undefined ? {} : { design }),
  });
  return { comparison, forced, notes: notesOn(sources), result: asOne(sources, trials, comparison) };
}

function withinOne({ name, result }: Source, { arms: wanted, baseline: named }: SelectOptions): Selection {
  const all = armNames(result.trials, named ?? result.design.arms[0] ?? "", result.design.arms);
  if (all.length < 2) {
    throw new RangeError(
      `${name} has ${all.length === 0 ? "no trial" : `the arm ${all[0]} alone`}: name another file to compare it with`,
    );
  }
  const [baseline = ""] = all;
  for (const arm of [...(named === undefined ? [] : [named]), ...(wanted ?? [])]) {
    if (!all.includes(arm)) throw new RangeError(`${name} has no arm ${arm}: it has ${all.join(", ")}`);
  }
  const arms = wanted === undefined ? all : all.filter((arm) => arm === baseline || wanted.includes(arm));
  if (arms.length < 2)
    throw new RangeError(
      `${baseline} cannot be compared with itself: name another arm, one of ${all.slice(1).join(", ")}`,
    );
  const trials = result.trials.filter(({ arm }) => arms.includes(arm));
  return {
    sources: [{ name, result, trials }],
    trials,
    baseline,
    opponents: opponentsOf(trials, arms),
    arms: [arms],
  };
}

function acrossSeveral(sources: readonly Source[], { arms: wanted, baseline: named }: SelectOptions): Selection {
  if (named !== undefined && !sources.some(({ name }) => name === named)) {
    throw new RangeError(`There is no file ${named}: they are called ${sources.map(({ name }) => name).join(", ")}`);
  }
  const ordered = [...sources].sort((a, b) => Number(b.name === named) - Number(a.name === named));
  const picked = ordered.map((source) => pickedArms(source, wanted));
  const isSingle = picked.every((arms) => arms.length === 1);
  const common = isSingle ? [] : (picked[0] ?? []).filter((arm) => picked.every((arms) => arms.includes(arm)));
  if (!isSingle && common.length === 0) {
    const have = ordered.map(({ name }, index) => `${name} has ${picked[index]?.join(", ")}`).join("; ");
    throw new RangeError(`The files have no arm of the same name: ${have}; --arm picks one`);
  }
  const nameOf = (source: string, arm: string): string => (isSingle ? source : `${arm} (${source})`);
  const compared = ordered.map(({ name, result }, index): NamedResult => {
    const arms = isSingle ? (picked[index] ?? []) : common;
    return { name, result, trials: result.trials.filter(({ arm }) => arms.includes(arm)) };
  });
  const trials = compared.flatMap(({ name, trials: own }) =>
    own.map((trial) => ({ ...trial, arm: nameOf(name, trial.arm) })),
  );
  const [first, ...others] = ordered.map(({ name }) => name);
  const groups = isSingle ? [""] : common;
  const opponents = groups.flatMap((arm) =>
    others.map((other) => ({ arm: nameOf(other, arm), baseline: nameOf(first ?? "", arm) })),
  );
  return {
    sources: compared,
    trials,
    baseline: opponents[0]?.baseline ?? "",
    opponents,
    arms: ordered.map((_, index) => (isSingle ? (picked[index] ?? []) : common)),
  };
}

function pickedArms({ name, result }: Source, wanted: readonly string[] | undefined): string[] {
  const all = armNames(result.trials, result.design.arms[0] ?? "", result.design.arms);
  if (all.length === 0) throw new RangeError(`${name} has no trial`);
  if (wanted === undefined || all.length === 1) return all;
  const arms = all.filter((arm) => wanted.includes(arm));
  if (arms.length > 0) return arms;
  throw new RangeError(`${name} has no arm ${wanted.join(", ")}: it has ${all.join(", ")}`);
}

function asOne(sources: readonly NamedResult[], trials: readonly TrialResult[], comparison: Comparison): Result {
  const { comparison: _, sweep, ...rest } = (sources[0] as NamedResult).result;
  if (sources.length === 1)
    return { ...rest, ...(sweep === undefined ? {} : { sweep }), trials: [...trials], comparison };
  const design = { ...rest.design, arms: armNames(trials, comparison.baseline) };
  return { ...rest, design, trials: [...trials], comparison };
}
