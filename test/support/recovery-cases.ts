/** Trials with a trigger, whose seconds are made up: what was served before it, during it, and until it was back. */

import { concludeRecovery } from "../../src/experiment/recovery-conclusion.ts";
import { withRecovery } from "../../src/experiment/trial-recovery.ts";
import type { ArmMap, Recovery } from "../../src/result/recovery-schema.ts";
import type { Result, SeriesRow, TrialResult } from "../../src/result/schema.ts";
import { resultFixture, trialFixture } from "./trial-fixture.ts";

const SETTLE = 10;
const TRIGGER = 3;
const HORIZON = 60;
const RPS = 50;
const TRIGGER_TEXT = "slowdown=0.05:3s";

const EMPTY_ROW: Omit<SeriesRow, "second"> = {
  offered: 0,
  late: 0,
  sent: 0,
  sentInSecond: 0,
  accepted: 0,
  ok: 0,
  throttled: 0,
  budget: 0,
  failed: 0,
  broken: 0,
  limited: 0,
  deadline: 0,
  dropped: 0,
  unfinished: 0,
};

interface StormFacts {
  readonly arm: string;
  readonly pair: number;
  readonly policy: TrialResult["policy"];
  /** Seconds after the trigger until calls are served again; null: never. */
  readonly back: number | null;
  /** Attempts sent per call while they are not. */
  readonly amplification: number;
  /** Share of the calls that the policy refuses meanwhile. */
  readonly refused?: number;
  readonly aged?: number;
}

/** A trial of 73 s whose trigger lasts from 10 s to 13 s. */
export function stormTrial({
  arm,
  pair,
  policy,
  back,
  amplification,
  refused = 0,
  aged = 120,
}: StormFacts): TrialResult {
  const seconds = SETTLE + TRIGGER + HORIZON;
  const series = Array.from({ length: seconds }, (_, second): SeriesRow => {
    const after = second - SETTLE - TRIGGER;
    const isDown = second >= SETTLE && (after < 0 || back === null || after < back);
    // Not all seconds are alike, and no two trials.
    const noise = (7 * second + 11 * pair) % 5;
    const offered = RPS - 2 + noise;
    const ok = isDown ? Math.floor((offered * noise) / 40) : offered - (noise === 4 ? 1 : 0);
    const throttled = isDown ? Math.round(refused * (offered - ok)) : 0;
    const sent = isDown ? Math.round(amplification * (offered - throttled)) : offered + 1;
    return {
      ...EMPTY_ROW,
      second,
      offered,
      sent,
      sentInSecond: sent,
      accepted: ok,
      ok,
      throttled,
      failed: offered - ok - throttled,
    };
  });
  const total = (column: "ok" | "failed" | "throttled" | "sent"): number =>
    series.reduce((sum, row) => sum + row[column], 0);
  const trial = trialFixture({
    arm,
    pair,
    world: "virtual",
    model: "fifo:workers=4,service=25ms",
    policy,
    durationSeconds: seconds,
    calls: { ok: total("ok"), failed: total("failed"), throttled: total("throttled") },
    attempts: { accepted: total("ok"), overloaded: total("sent") - total("ok") },
  });
  const script = `${SETTLE}s..${SETTLE + TRIGGER}s:capacity=0.05`;
  const past = aged > 0 ? { age: { seconds: aged, calls: 50 * aged, throttled: 3 } } : {};
  return withRecovery(
    { ...trial, ...past, script, series },
    { kind: "slowdown", text: TRIGGER_TEXT, fromSeconds: SETTLE, toSeconds: SETTLE + TRIGGER },
  );
}

const SEEDS = Array.from({ length: 10 }, (_, pair) => pair);
const RETRY = { name: "retry", options: { maxAttempts: 4 } };
const BUDGET = { name: "retry-budget", options: { ratio: 0.1, maxAttempts: 4 } };
const SRE = { name: "sre", options: { k: 2, window: 120, retryRatio: 0.1, maxAttempts: 4 } };

function terms(overrides: Partial<Recovery> = {}): Recovery {
  return {
    trigger: TRIGGER_TEXT,
    rps: RPS,
    settleSeconds: SETTLE,
    withinSeconds: 10,
    horizonSeconds: HORIZON,
    ageSeconds: 120,
    arms: [],
    conclusion: "",
    ...overrides,
  };
}

export function recovered(trials: readonly TrialResult[], overrides: Partial<Recovery> = {}): Result {
  const plan = { rate: `${RPS}/s`, rps: RPS, durationSeconds: SETTLE + TRIGGER + HORIZON, warmupSeconds: 0 };
  const result = resultFixture(trials, { command: "recovery", recovery: terms(overrides) });
  const config = {
    world: { kind: "virtual", model: { name: "fifo", workers: 4, serviceSeconds: 0.025, latencySeconds: 0 } },
  };
  return concludeRecovery({ ...result, config, plan: { ...result.plan, ...plan } });
}

function stormTrials(): TrialResult[] {
  return SEEDS.flatMap((pair) => [
    stormTrial({ arm: "retries", pair, policy: RETRY, back: null, amplification: 3.9 }),
    stormTrial({ arm: "budget", pair, policy: BUDGET, back: pair % 3, amplification: 1.1 }),
    stormTrial({
      arm: "sre",
      pair,
      policy: SRE,
      back: pair === 4 ? null : 6 + 5 * pair,
      amplification: 1.1,
      refused: 0.6,
    }),
  ]);
}

function mapFixture(
  arm: string,
  survives: number | null,
  survivesUpTo: number | null,
  served: number,
  servedUpTo: number | null,
): ArmMap {
  const gap = survives === null ? null : 1 - survives / served;
  const tried = [...new Set([20, 40, 80, 160, survives, survivesUpTo, served, servedUpTo])]
    .filter((rps) => rps !== null)
    .sort((a, b) => a - b);
  return {
    arm,
    served,
    servedUpTo,
    survives,
    survivesUpTo,
    gap,
    points: tried.flatMap((rps) => [
      { rps, triggered: false, trials: 5, stuck: rps > served ? 5 : 0 },
      { rps, triggered: true, trials: 5, stuck: survives === null || rps > survives ? 5 : rps === survives ? 2 : 0 },
    ]),
    sentence: `${arm} survives the trigger up to ${survives ?? "no load"}, and is served up to ${served} per second.`,
  };
}

/** Retries that stay down, a budget that comes back at once, and a throttle that takes its time. */
export function recoveryCase(): Result {
  return recovered(stormTrials());
}

/** The same with a map of the loads. */
export function recoveryMapCase(): Result {
  const map = {
    lowRps: 20,
    highRps: 160,
    tolerance: 0.05,
    seeds: 5,
    horizonSeconds: 120,
    arms: [
      mapFixture("retries", 38.5, 40.4, 151, 158),
      mapFixture("budget", 138, 144, 151, null),
      mapFixture("sre", null, 20, 151, 158),
    ],
  };
  return recovered(stormTrials(), { map });
}

/** A single arm of cold clients, one trial, stuck. */
export function stuckCase(): Result {
  return recovered([stormTrial({ arm: "none", pair: 0, policy: RETRY, back: null, amplification: 3.9, aged: 0 })], {
    ageSeconds: 0,
  });
}

/** More arms than fit beside each other. */
export function manyArmsCase(): Result {
  return recovered(
    ["none", "jitter", "budget", "sre", "grpc", "aws", "finagle", "breaker"].flatMap((arm, index) =>
      [0, 1, 2].map((pair) =>
        stormTrial({
          arm,
          pair,
          policy: index === 0 ? RETRY : SRE,
          back: index === 0 ? null : index * (pair + 1),
          amplification: 1 + index / 4,
        }),
      ),
    ),
  );
}
