/** The scenarios in which policies are compared in simulation. Users are clients; rates are per second, times in seconds. */

import type { TrialSpec, VirtualWorldSpec } from "../../src/engine/trial-spec.ts";
import type { PolicyOptions } from "../../src/policy/preset.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { recoverySeconds } from "../../src/stats/recovery-time.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "./trial-spec.ts";

export interface Contender {
  readonly name: string;
  readonly options: PolicyOptions;
}

interface Load {
  readonly users: number;
  readonly rps: number;
  readonly seed: number;
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  readonly timeoutSeconds?: number;
}

async function run(policy: Contender, load: Load, world: Omit<VirtualWorldSpec, "kind">): Promise<TrialResult> {
  const { users, rps, seed, warmupSeconds, durationSeconds, timeoutSeconds = 1 } = load;
  const spec: TrialSpec = trialSpec({
    policy,
    timeoutSeconds,
    // What waits in a backlog is not to be dropped by the harness.
    maxInFlight: 1_000_000,
    plan: {
      seed,
      users,
      warmupSeconds,
      durationSeconds,
      arrival: { law: "poisson", rate: { kind: "constant", rps } },
    },
    world: { kind: "virtual", ...world },
  });
  return await executeTrial(spec, UNWATCHED);
}

export interface Steady {
  /** Attempts sent per call. */
  readonly amplification: number;
  /** Calls that came back ok, per call. */
  readonly success: number;
  readonly waste: number;
}

function steadyOf({ amplification, waste, calls }: TrialResult): Steady {
  return { amplification, waste, success: calls.ok / calls.planned };
}

/** A backend that fails each attempt with the same probability, whatever its load: 100 clients of 10/s, 100 s. */
export async function fixedFailure(policy: Contender, failure: number, warmupSeconds: number): Promise<Steady> {
  const load = { users: 100, rps: 1000, seed: 1, warmupSeconds, durationSeconds: 100 };
  return steadyOf(await run(policy, load, { model: { name: "bernoulli", accept: 1 - failure, latencySeconds: 0 } }));
}

/**
 * Ten times the capacity of 100/s, for ever, where a rejection costs three tenths of a call and each answer takes 50 ms: 50
 * clients, 60 s.
 */
export async function lastingOverload(policy: Contender, warmupSeconds: number): Promise<Steady> {
  const load = { users: 50, rps: 1000, seed: 1, warmupSeconds, durationSeconds: 60 };
  const model = { name: "shed", capacity: 100, burst: 10, rejectCost: 0.3, latencySeconds: 0.05 } as const;
  return steadyOf(await run(policy, load, { model }));
}

/** The fall into a retry storm: see {@link stormRecovery}. */
const STORM = { rps: 50, timeoutSeconds: 0.2, slowSeconds: 3, factor: 0.25 };

/**
 * A FIFO server of 4 x 25 ms (160/s) under 50/s, time-out 0.2 s, is four times slower for 3 s.
 *
 * @returns how long after that calls come back ok again (see {@link recoverySeconds}); undefined: not within the horizon.
 */
export async function stormRecovery(
  policy: Contender,
  { users, seed, warmupSeconds }: Pick<Load, "users" | "seed" | "warmupSeconds">,
  horizonSeconds: number,
): Promise<number | undefined> {
  const { rps, timeoutSeconds, slowSeconds, factor } = STORM;
  const fromSeconds = 10;
  const toSeconds = fromSeconds + slowSeconds;
  const durationSeconds = 10 + slowSeconds + horizonSeconds;
  const trial = await run(
    policy,
    { users, rps, seed, warmupSeconds, durationSeconds, timeoutSeconds },
    {
      model: { name: "fifo", workers: 4, serviceSeconds: 0.025, latencySeconds: 0 },
      script: [{ kind: "capacity", fromSeconds, toSeconds, factor }],
    },
  );
  return recoverySeconds(trial.series, warmupSeconds + toSeconds);
}

/** A server with room to spare (20 clients of 10/s, capacity 400/s) rejects everything for a time. Returned as above. */
export async function outageRecovery(
  policy: Contender,
  { seed, warmupSeconds }: Pick<Load, "seed" | "warmupSeconds">,
  outageSeconds: number,
  horizonSeconds: number,
): Promise<number | undefined> {
  const fromSeconds = 10;
  const toSeconds = fromSeconds + outageSeconds;
  const durationSeconds = 10 + outageSeconds + horizonSeconds;
  const trial = await run(
    policy,
    { users: 20, rps: 200, seed, warmupSeconds, durationSeconds },
    {
      model: { name: "shed", capacity: 400, burst: 10, rejectCost: 0, latencySeconds: 0 },
      script: [{ kind: "capacity", fromSeconds, toSeconds, factor: 0 }],
    },
  );
  return recoverySeconds(trial.series, warmupSeconds + toSeconds);
}
