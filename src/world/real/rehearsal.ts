/**
 * The rehearsal before a trial. Cold code costs a generator a quarter of a second of lateness at its first calls: so it
 * plays a short trial of its own, with the same policy, against a server in its own thread, before the one that counts.
 */

import type { RealWorldSpec, TrialSpec } from "../../engine/trial-spec.ts";
import { DIRECT_CONNECTIONS } from "./direct-connections.ts";
import { openH2NullServer } from "./http2/null-server.ts";
import { openNullServer } from "./null-server.ts";

/** A thousand calls: the first fifty cost a quarter of a second, after the last ones the next cost what later ones do. */
const PLAN = {
  arrival: { law: "poisson", rate: { kind: "constant", rps: 5000 } },
  warmupSeconds: 0,
  durationSeconds: 0.2,
  users: 10,
} as const;

/** @param play runs one trial in this thread. */
export async function rehearse(
  spec: TrialSpec,
  world: RealWorldSpec,
  play: (spec: TrialSpec, world: RealWorldSpec) => Promise<unknown>,
): Promise<void> {
  const { http2 } = world.connections;
  // Its clients need no past, and nobody steers its load.
  const { age: _past, governor: _governor, abortOn: _guards, ...present } = spec;
  const nobody = await (http2 ? openH2NullServer() : openNullServer()).catch(ignore);
  if (nobody === undefined) return;
  try {
    const played: RealWorldSpec = {
      ...world,
      url: nobody.url,
      method: "GET",
      headers: [],
      body: undefined,
      pacing: "precise",
      sentinelUrl: undefined,
      // The way to the target (its socket, its names, its certificates, what is opened ahead) is none of the rehearsal's.
      connections: { ...DIRECT_CONNECTIONS, http2 },
    };
    const rehearsal: TrialSpec = {
      ...present,
      plan: { ...PLAN, seed: spec.plan.seed },
      workers: 1,
      timeoutSeconds: 1,
      drainSeconds: 1,
      late: { kind: "send" },
      world: played,
    };
    await play(rehearsal, played);
  } finally {
    nobody.close();
  }
}

/** A process that may open no server has files for little else, and its trial will say so; without a rehearsal it is cold. */
function ignore(): undefined {}
