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
