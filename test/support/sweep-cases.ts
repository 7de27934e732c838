/** Sweeps with a story, and the check of their limits. */

import { recommend } from "../../src/comparison/recommend.ts";
import type { CheckLimit } from "../../src/comparison/sweep-findings.ts";
import type { Reason, Result, TrialResult } from "../../src/result/schema.ts";
import type { Sweep } from "../../src/result/sweep-schema.ts";
import { resultFixture, trialFixture } from "./trial-fixture.ts";

export interface CellFacts {
  readonly arm: string;
  /** Per second, pair by pair; of 1000 offered. */
  readonly goodput: readonly number[];
  /** Of what is sent. */
  readonly waste?: number;
  readonly point?: Readonly<Record<string, string>>;
  readonly k?: number;
  readonly changes?: number;
  /** null: not within 60 s. */
  readonly recovery?: number | null;
  readonly reasons?: readonly Reason[];
  readonly policy?: TrialResult["policy"];
  readonly offered?: number;
}

export const INVALID: Reason = {
  code: "lateness",
  severity: "invalid",
  message: "1 % of the calls started 80 ms or more after their time",
  figure: 80,
  limit: 50,
  hint: "Lower --rps",
};

const SECONDS = 10;

export function trialsOfCell(cell: CellFacts): TrialResult[] {
  const { arm, goodput, waste = 0.1, reasons = [], offered = 1000 } = cell;
  return goodput.map((rate, pair) => {
    const ok = Math.round(rate * SECONDS);
    const throttled = Math.max(0, offered * SECONDS - ok);
    return trialFixture({
      arm,
      pair,
      seed: 1 + pair,
      durationSeconds: SECONDS,
      calls: { ok, throttled },
      attempts: { accepted: ok, overloaded: Math.round((ok * waste) / (1 - waste)) },
      policy: cell.policy ?? { name: "sre", options: { k: cell.k ?? 2, window: 10 } },
      reasons,
    });
  });
}

export function sweepOf(cells: readonly CellFacts[], facts: Partial<Sweep> = {}): Sweep {
  const simulated = cells.filter(({ recovery }) => recovery !== undefined);
  return {
    axes: [{ name: "k", of: "policy", values: cells.map(({ arm }) => arm.replace("k=", "")) }],
    cells: cells.map(({ arm, point = { k: arm.replace("k=", "") }, k, changes }) => ({
      arm,
      point,
      ...(k === undefined ? {} : { k }),
      ...(changes === undefined ? {} : { changes }),
    })),
    limits: [],
    recommendations: [],
    ...(simulated.length === 0
      ? {}
      : {
          recovery: simulated.map(({ arm, recovery = null }) => ({ arm, seconds: recovery, horizonSeconds: 60 })),
          recoveryScenario: "Simulated, not measured: a disturbance.",
        }),
    ...facts,
  };
}

/** Knows limits on waste only: `waste<=0.3`. */
export function checkWaste(trials: readonly TrialResult[]): CheckLimit {
  return (text, arm) => {
    const right = Number(text.replace("waste<=", ""));
    const left = Math.max(...trials.filter((trial) => trial.arm === arm).map(({ waste }) => waste));
    return { text, arm, holds: left <= right, left, right, message: "" };
  };
}

/** The whole result of a sweep, its recommendations included. */
export function sweepResult(cells: readonly CellFacts[], facts: Partial<Sweep> = {}): Result {
  const trials = cells.flatMap(trialsOfCell);
  const sweep = sweepOf(cells, facts);
  const pairs = Math.max(...cells.map(({ goodput }) => goodput.length));
  const result = resultFixture(trials, { command: "sweep" });
  return {
    ...result,
    design: { ...result.design, arms: cells.map(({ arm }) => arm), pairs },
    sweep: { ...sweep, ...recommend({ trials, design: {} }, sweep, checkWaste(trials)) },
  };
}

/** Per second, pair by pair, from `middle` up. */
export function rates(middle: number, pairs: number): number[] {
  return Array.from({ length: pairs }, (_, pair) => middle + 3 * ((pair * 5) % 7));
}

const LOADS: Partial<Sweep> = {
  axes: [
    { name: "policy", of: "policy", values: ["sre", "retry"] },
    { name: "k", of: "policy", values: ["1.1", "2"] },
    { name: "rps", of: "load", values: ["500", "1000"] },
  ],
};

function loadCell(policy: string, k: string | undefined, rps: string, goodput: number, waste: number): CellFacts {
  const point = { policy, ...(k === undefined ? {} : { k }), rps };
  return {
    arm: `${policy}${k === undefined ? "" : ` k=${k}`} rps=${rps}`,
    point,
    goodput: rates(goodput, 7),
    waste,
    offered: Number(rps),
    policy: { name: policy, options: k === undefined ? { maxAttempts: 3 } : { k: Number(k), window: 10 } },
  };
}

/** Two loads, at both of which the same cell is the best. */
export function sweepOfLoads(): Result {
  return sweepResult(
    [
      loadCell("sre", "1.1", "500", 440, 0.1),
      loadCell("sre", "2", "500", 435, 0.4),
      loadCell("retry", undefined, "500", 30, 0.9),
      loadCell("sre", "1.1", "1000", 430, 0.1),
      loadCell("sre", "2", "1000", 340, 0.5),
      loadCell("retry", undefined, "1000", 2, 0.99),
    ],
    { ...LOADS, limits: ["waste<=0.8"] },
  );
}
