/**
 * A whole run as a closed loop: engine, policy `sre`, recorder, transport; as many calls under way as there are connections, each
 * followed by the next (the engine has such a loop for the governor). No pacer spins where nothing is to be done, so processor
 * time is the price of requests.
 */

import type { GovernorSpec, TransportName } from "../../src/engine/trial-spec.ts";
import { resolveGovernorOptions } from "../../src/governor/governor-options.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../support/trial-spec.ts";

export type RequestHeaders = readonly (readonly [string, string])[];

export interface ClosedRun {
  readonly transport: TransportName;
  readonly url: string;
  /** Certificates are not verified. */
  readonly secure: boolean;
  readonly headers: RequestHeaders;
  readonly connections: number;
  readonly seconds: number;
}

export interface ClosedRunResult {
  readonly sent: number;
  /** Of this process, all threads. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

export async function closedRun(run: ClosedRun): Promise<ClosedRunResult> {
  const { transport, url, secure, headers, connections, seconds } = run;
  const governor: GovernorSpec = {
    ...resolveGovernorOptions({ floor: connections, ceiling: connections, high: 1, low: 1 }),
    holdWindows: Number.MAX_SAFE_INTEGER,
    holdBand: 0,
  };
  const trial = await executeTrial(
    trialSpec({
      plan: {
        seed: 1,
        arrival: { law: "poisson", rate: { kind: "constant", rps: connections } },
        warmupSeconds: 0,
        durationSeconds: seconds,
        users: connections,
      },
      governor,
      policy: { name: "sre", options: {} },
      world: {
        kind: "real",
        url,
        method: "GET",
        headers,
        body: undefined,
        pacing: "precise",
        transport,
        sentinelUrl: undefined,
        connections: {
          ...PLAIN_CONNECTIONS,
          preopen: connections,
          tls: { ...PLAIN_CONNECTIONS.tls, insecure: secure },
        },
      },
    }),
    UNWATCHED,
  );
  const { ok, throttled, planned } = trial.calls;
  if (ok + throttled !== planned) console.log(`  not all ok: ${JSON.stringify([trial.calls, trial.errors])}`);
  const { cpuSeconds, wallSeconds } = trial.generator as NonNullable<typeof trial.generator>;
  return { sent: trial.attempts.sent, cpuSeconds, wallSeconds };
}
