/**
 * Results for tests, made from a few figures. The counts obey the conservation law and the rates follow from them, so a
 * fixture is a result that a trial could have had.
 */

import type { LatencySummary, Reason, Result, SeriesRow, TrialResult } from "../../src/result/schema.ts";

type Calls = TrialResult["calls"];
type Attempts = TrialResult["attempts"];

/** An empty HdrHistogram, as the recorder encodes it. */
const EMPTY_HDR = "HISTFAAAAB54nJNpmSzMwMDACMXMDBAAYjNcm7yEAc4HAEvsA1s=";

/** What a fixture may set; everything else follows or is a plain default. */
export interface TrialFacts {
  readonly arm?: string;
  readonly pair?: number;
  readonly seed?: number;
  readonly world?: TrialResult["world"];
  readonly model?: string;
  readonly policy?: TrialResult["policy"];
  readonly durationSeconds?: number;
  readonly interrupted?: boolean;
  readonly late?: TrialResult["late"];
  /** Outcomes; `planned` is their sum. */
  readonly calls?: Partial<Omit<Calls, "planned">>;
  /** Classes and `inFlight`; `sent` is their sum. `made` also counts the local rejects among the calls. */
  readonly attempts?: Partial<Omit<Attempts, "made" | "sent">>;
  readonly statuses?: TrialResult["statuses"];
  readonly errors?: TrialResult["errors"];
  readonly response?: TrialResult["latency"]["response"];
  readonly service?: TrialResult["latency"]["service"];
  readonly wait?: LatencySummary;
  readonly lateness?: LatencySummary;
  readonly users?: Partial<TrialResult["users"]>;
  readonly connections?: TrialResult["connections"];
  readonly generator?: TrialResult["generator"];
  readonly target?: TrialResult["target"];
  readonly reasons?: readonly Reason[];
}

/** A latency distribution of `count` values between `p50Ms` and `maxMs`. */
export function latencyFixture(
  count: number,
  p50Ms: number,
  p99Ms: number,
  maxMs: number,
  censored = 0,
): LatencySummary {
  if (count === 0) {
    return { count, minMs: 0, meanMs: 0, p50Ms: 0, p90Ms: 0, p99Ms: 0, p999Ms: 0, maxMs: 0, censored, hdr: EMPTY_HDR };
  }
  return {
    count,
    minMs: p50Ms / 2,
    meanMs: (p50Ms + p99Ms) / 2,
    p50Ms,
    p90Ms: (p50Ms + p99Ms) / 2,
    p99Ms,
    p999Ms: (p99Ms + maxMs) / 2,
    maxMs,
    censored,
    hdr: EMPTY_HDR,
  };
}

/** One trial; without facts a healthy one of 10,000 calls in 10 s, all of them ok at the first attempt. */
export function trialFixture(facts: TrialFacts = {}): TrialResult {
  const calls = withPlanned({ ok: 10_000, ...facts.calls });
  const attempts = withSums({ accepted: calls.ok, ...facts.attempts }, calls);
  const durationSeconds = facts.durationSeconds ?? 10;
  const perSecond = (count: number): number => (durationSeconds === 0 ? 0 : count / durationSeconds);
  const pair = facts.pair ?? 0;
  const reasons = [...(facts.reasons ?? [])];
  const users = { count: 100, active: 100, jain: 1, okMin: 90, okMax: 110, ...facts.users };
  return {
    arm: facts.arm ?? "run",
    pair,
    world: facts.world ?? "real",
    ...(facts.model !== undefined && { model: facts.model }),
    policy: facts.policy ?? { name: "none", options: { maxAttempts: 3 } },
    plan: {
      hash: `plan-${pair}`,
      seed: facts.seed ?? 1 + pair,
      arrivals: calls.planned,
      users: 100,
      rate: "2000/s",
      rps: 2000,
    },
    startedAt: "2026-01-02T03:04:05.000Z",
    durationSeconds,
    drainSeconds: 0.25,
    interrupted: facts.interrupted ?? false,
    late: facts.late ?? { boundMs: 10, sent: 0, dropped: 0 },
    calls,
    attempts,
    statuses: facts.statuses ?? {},
    errors: facts.errors ?? {},
    rates: {
      offered: perSecond(calls.planned),
      sent: perSecond(attempts.sent),
      accepted: perSecond(attempts.accepted),
      goodput: perSecond(calls.ok),
    },
    amplification: calls.planned === 0 ? 0 : attempts.sent / calls.planned,
    waste: attempts.sent === 0 ? 0 : (attempts.sent - attempts.accepted) / attempts.sent,
    latency: {
      response: facts.response ?? { ok: latencyFixture(calls.ok, 2.1, 9.4, 14.2) },
      service: facts.service ?? { accepted: latencyFixture(attempts.accepted, 1.9, 8.8, 13.9) },
      wait: facts.wait ?? latencyFixture(attempts.sent, 0.04, 0.2, 1.1),
      lateness: facts.lateness ?? latencyFixture(calls.planned, 0.02, 0.11, 0.9),
    },
    series: seriesOf(calls, attempts, durationSeconds),
    users,
    ...(facts.connections !== undefined && { connections: facts.connections }),
    ...(facts.generator !== undefined && { generator: facts.generator }),
    ...(facts.target !== undefined && { target: facts.target }),
    validity: { verdict: verdictOf(reasons), reasons },
  };
}

/** A result that holds these trials. */
export function resultFixture(trials: readonly TrialResult[], overrides: Partial<Result> = {}): Result {
  const first = trials[0];
  return {
    schemaVersion: 2,
    command: "ab",
    partial: false,
    tool: { name: "overload-bench", version: "0.1.0" },
    environment: {
      runtime: "bun",
      runtimeVersion: "1.4.5",
      platform: "linux",
      arch: "x64",
      cpuModel: "A processor",
      cpus: 2,
      memoryBytes: 8_000_000_000,
    },
    config: { url: "http://127.0.0.1:8080/", rps: 2000 },
    plan: {
      hash: first?.plan.hash ?? "none",
      seed: first?.plan.seed ?? 1,
      arrivals: first?.plan.arrivals ?? 0,
      users: 100,
      arrival: "poisson",
      rate: "2000/s",
      rps: 2000,
      warmupSeconds: 0,
      durationSeconds: 10,
    },
    design: designOf(trials),
    trials: [...trials],
    ...overrides,
  };
}

/** All pairs of the arms that have trials. */
function designOf(trials: readonly TrialResult[]): Result["design"] {
  return {
    arms: [...new Set(trials.map((trial) => trial.arm))],
    pairs: Math.max(0, ...trials.map((trial) => trial.pair + 1)),
    seed: 1,
    chance: "common",
    stopping: { rule: "all-pairs" },
  };
}

function withPlanned(outcomes: Partial<Omit<Calls, "planned">>): Calls {
  const zero = {
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
  const all = { ...zero, ...outcomes };
  return { planned: sum(Object.values(all)), ...all };
}

function withSums(classes: Partial<Omit<Attempts, "made" | "sent">>, calls: Calls): Attempts {
  const zero = { accepted: 0, overloaded: 0, failed: 0, clientFault: 0, staleConnection: 0, inFlight: 0 };
  const all = { ...zero, ...classes };
  const sent = sum(Object.values(all).map((count) => count ?? 0));
  return { made: sent + calls.throttled + calls.broken + calls.limited + calls.deadline, sent, ...all };
}

/** The counts spread over the seconds so that each column adds up to its total. */
function seriesOf({ planned, ...outcomes }: Calls, { sent, accepted }: Attempts, durationSeconds: number): SeriesRow[] {
  const seconds = Math.ceil(durationSeconds);
  const share = (total: number, second: number): number =>
    Math.floor((total * (second + 1)) / seconds) - Math.floor((total * second) / seconds);
  return Array.from({ length: seconds }, (_, second) => ({
    second,
    offered: share(planned, second),
    late: 0,
    sent: share(sent, second),
    sentInSecond: share(sent, second),
    accepted: share(accepted, second),
    ok: share(outcomes.ok, second),
    throttled: share(outcomes.throttled, second),
    budget: share(outcomes.budget, second),
    failed: share(outcomes.failed, second),
    broken: share(outcomes.broken, second),
    limited: share(outcomes.limited, second),
    deadline: share(outcomes.deadline, second),
    dropped: share(outcomes.dropped, second),
    unfinished: share(outcomes.unfinished, second),
  }));
}

function verdictOf(reasons: readonly Reason[]): TrialResult["validity"]["verdict"] {
  const worst = (["invalid", "suspect"] as const).find((verdict) =>
    reasons.some(({ severity }) => severity === verdict),
  );
  return worst ?? "valid";
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Connections of a trial of which nothing else is told. */
export function connectionsFixture(opened: number, peak: number, stale: number): TrialResult["connections"] {
  return {
    wanted: opened,
    opened,
    failed: 0,
    preopened: 0,
    reused: 0,
    closedByPeer: 0,
    peak,
    stale,
    addresses: { "127.0.0.1": opened },
  };
}
