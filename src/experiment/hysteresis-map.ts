/**
 * The hysteresis of a system under a trigger, by two searches on the load: the highest load that survives the trigger, and the highest
 * one that is served without it. Between the two a system works until something happens, and does not come back by itself
 * ("vulnerable", Bronson et al., "Metastable failures in distributed systems", HotOS 2021).
 *
 * A load survives when fewer than half of its seeds are stuck at the end of the horizon; it is served when fewer than half of them
 * have less than 95 % of their calls ok over the same time without the trigger. Both searches step together, so that their trials can
 * run at the same time.
 */

import type { ArmMap } from "../result/recovery-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { BACK_SHARE } from "../stats/recovery-time.ts";
import { mapSentence } from "./hysteresis-words.ts";
import { type BracketRange, LoadBracket, type LoadVerdict, loadsMax } from "./load-bracket.ts";

/** A load, with the trigger or without it. */
export interface LoadToTry {
  readonly rps: number;
  readonly triggered: boolean;
}

export interface MapOptions extends BracketRange {
  readonly arm: string;
  /** As `--trigger` writes it. */
  readonly trigger: string;
  /** How long a load is looked at after the trigger. */
  readonly horizonSeconds: number;
  /** Trials of each load. */
  readonly seeds: number;
}

/**
 * @param run runs the trials of each load, one a seed. A load that has fewer than all of them was not tried to its end: the search
 *   ends then, with what it has found.
 * @throws RangeError
 */
export async function mapHysteresis(
  options: MapOptions,
  run: (loads: readonly LoadToTry[]) => Promise<readonly (readonly TrialResult[])[]>,
): Promise<ArmMap> {
  const { seeds } = options;
  if (!(Number.isSafeInteger(seeds) && seeds >= 1)) {
    throw new RangeError(`Cannot map as 'seeds' must be a positive whole number: current value is ${seeds}`);
  }
  const survival = new LoadBracket(options);
  const service = new LoadBracket(options);
  const points: MapPoint[] = [];
  let stopped = false;
  while (!stopped && !(survival.done && service.done)) {
    const loads = [...loadsOf(survival, true), ...loadsOf(service, false)];
    const runs = await run(loads);
    const tried = loads.map((load, index) => pointOf(load, runs[index] ?? [], seeds));
    points.push(...tried.flatMap((point) => point ?? []));
    const split = survival.due.length;
    const halves = [tell(survival, tried.slice(0, split)), tell(service, tried.slice(split))];
    stopped = halves.includes(false);
  }
  return concluded(options, survival, service, points, stopped);
}

/** Trials that all searches together take at most. */
export function mapTrialsMax(range: BracketRange, seeds: number, arms: number): number {
  return 2 * loadsMax(range) * seeds * arms;
}

function loadsOf({ due }: LoadBracket, triggered: boolean): readonly LoadToTry[] {
  return due.map((rps) => ({ rps, triggered }));
}

type MapPoint = ArmMap["points"][number];

/** @returns undefined where the load was not tried to its end. */
function pointOf({ rps, triggered }: LoadToTry, trials: readonly TrialResult[], seeds: number): MapPoint | undefined {
  if (trials.filter(({ interrupted }) => !interrupted).length < seeds) return undefined;
  const trusted = trials.filter(({ validity }) => validity.verdict !== "invalid");
  const stuck = trusted.filter((trial) => (triggered ? isStuck(trial) : !isServed(trial))).length;
  return { rps, triggered, trials: trusted.length, stuck };
}

function isStuck({ recovery }: TrialResult): boolean {
  if (recovery === undefined) throw new RangeError("Cannot map as a trial with the trigger must have its 'recovery'");
  return recovery.stuck > 0;
}

function isServed({ calls }: TrialResult): boolean {
  return calls.ok >= BACK_SHARE * calls.planned;
}

/** @returns false when a load of it was not tried to its end. */
function tell(bracket: LoadBracket, tried: readonly (MapPoint | undefined)[]): boolean {
  const verdicts = tried.flatMap((point) => (point === undefined ? [] : [verdictOf(point)]));
  if (verdicts.length < tried.length) return false;
  if (!bracket.done) bracket.tell(verdicts);
  return true;
}

function verdictOf({ trials, stuck }: MapPoint): LoadVerdict {
  if (trials === 0) return "untrusted";
  return 2 * stuck < trials ? "passed" : "failed";
}

function concluded(
  options: MapOptions,
  survival: LoadBracket,
  service: LoadBracket,
  tried: readonly MapPoint[],
  stopped: boolean,
): ArmMap {
  const [survives, served] = [survival.passed, service.passed];
  const points = [...tried].sort((a, b) => a.rps - b.rps || Number(a.triggered) - Number(b.triggered));
  const done = !stopped && survival.done && service.done;
  const found = {
    arm: options.arm,
    served,
    survives,
    // A load that survives is served too: where the searches have it otherwise, that is chance, and no gap.
    gap: !done || served === null || survives === null ? null : Math.max(0, 1 - survives / served),
    servedUpTo: service.failed,
    survivesUpTo: survival.failed,
    points,
  };
  return { ...found, sentence: mapSentence(found, { ...options, done }) };
}
