/** What a validation experiment is: a claim of theory, and what the harness measures of it. */

import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";

/** One figure against its prediction. */
export interface Finding {
  /** What was measured, under which conditions: `sent / C at K = 1.5`. */
  readonly what: string;
  /** What theory says of it, as a number in `unit` or in words (`never`, `falls`). */
  readonly prediction: number | string;
  /** The median over the seeds, or a share of them; infinity for what never happened. */
  readonly measured: number;
  /** What still counts as agreement, both ends included. */
  readonly band: readonly [least: number, most: number];
  /** Unit of the measured figure and the band: `s`, `/s`. None for a ratio. */
  readonly unit?: string;
  /** Trials behind the figure. */
  readonly trials: number;
}

/** Where virtual experiments run: any number of trials at a time, each the same whatever runs beside it. */
export interface VirtualLab {
  /** Ten, for medians. */
  readonly seeds: readonly number[];
  /** Twenty, for shares. */
  readonly manySeeds: readonly number[];
  /** @returns the trials in the order of the specifications. */
  run(specs: readonly TrialSpec[]): Promise<readonly TrialResult[]>;
}

/** Where experiments on the built-in target run, one after another: through the program, as a user would. */
export interface RealLab {
  /** @param args of `overload-bench run`, without those of the output. */
  run(args: readonly string[]): Promise<Result>;
  /** @param args of any command that prints a result. */
  command(name: string, args: readonly string[]): Promise<unknown>;
}

export interface Experiment {
  /** V1 to V22. */
  readonly id: string;
  /** What it is about, in a few words. */
  readonly title: string;
  /** Where its prediction is derived, a heading of this folder's README. */
  readonly derivation: string;
  virtual(lab: VirtualLab): Promise<readonly Finding[]>;
  /** With coarse bands: a real target is no model. */
  real?(lab: RealLab): Promise<readonly Finding[]>;
}

export function agrees({ measured, band: [least, most] }: Finding): boolean {
  return measured >= least && measured <= most;
}
