/**
 * What is said before a run: of this machine, what it may lack for the plan and what it is known to be able to send; and of a
 * script that the run is too short for.
 */

import { isIP } from "node:net";
import type { ConnectionSpec, RealWorldSpec } from "../../engine/trial-spec.ts";
import { ceilingReasons } from "../../experiment/ceiling.ts";
import type { Arm, ExperimentSpec } from "../../experiment/experiment.ts";
import { peakRps } from "../../plan/describe.ts";
import type { PlanSpec } from "../../plan/plan.ts";
import type { Reason } from "../../result/schema.ts";
import { hostOf } from "../../world/real/addresses.ts";
import { DEFAULT_TRANSPORT } from "../../world/real/default-transport.ts";
import { STREAMS_MAX } from "../../world/real/http2/connection.ts";
import { type Script, scriptRemarks } from "../flags/script-flag.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { calibrationKey } from "./calibration-key.ts";

type Common = ExperimentSpec["common"];

/** @param note is told each of them. @returns what is kept with each trial. */
export async function remarksBefore(
  host: Host,
  services: Services,
  common: Common,
  plan: PlanSpec,
  script: Script,
  arms: readonly Arm[],
  note: (text: string) => void,
): Promise<readonly Reason[]> {
  const { world } = common;
  const remarks = [
    ...scriptRemarks(script, plan.durationSeconds),
    ...(world.kind === "virtual" ? [] : preflight(services, common, world, plan, arms)),
    ...(world.kind === "virtual" ? [] : await compareWithCeiling(host, services, common, world, plan, note)),
  ];
  for (const { message, hint } of remarks) note(`${message}: ${hint}`);
  return remarks;
}

/** Files and ports. */
function preflight(
  services: Services,
  { maxInFlight, timeoutSeconds }: Common,
  { url, connections }: RealWorldSpec,
  plan: PlanSpec,
  arms: readonly Arm[],
): readonly Reason[] {
  const { preopen, maxRequests, http2, unixPath } = connections;
  const peak = peakRps(plan);
  const attempts = Math.max(1, ...arms.map(({ policy }) => Number(policy.options.maxAttempts ?? 1)));
  const longest = Math.max(timeoutSeconds, ...arms.map(({ own }) => own?.timeoutSeconds ?? 0));
  const underWay = Math.min(maxInFlight, Math.ceil(peak * longest * attempts));
  return services.preflight({
    connectionsMax: Math.max(preopen, http2 ? Math.ceil(underWay / STREAMS_MAX) : underWay),
    newConnectionsPerSecond: maxRequests === undefined ? 0 : peak / maxRequests,
    usesPorts: unixPath === undefined,
    addresses: knownAddresses(url, connections),
  });
}

/** What `calibrate` found out about this generator, if it ever ran: its calls are HTTP/1.1. */
async function compareWithCeiling(
  host: Host,
  services: Services,
  { workers }: Common,
  { pacing, transport = DEFAULT_TRANSPORT, connections }: RealWorldSpec,
  plan: PlanSpec,
  note: (text: string) => void,
): Promise<readonly Reason[]> {
  if (connections.http2) return [];
  const key = calibrationKey(services, { pacing, transport, workers });
  const { calibration, problem } = await services.calibrationStore(host.env).find(key);
  if (problem !== undefined) note(`Earlier calibrations are not used: ${problem}`);
  return calibration === undefined ? [] : ceilingReasons(peakRps(plan), calibration.ceilingRps);
}

/** The target's addresses as far as they can be told without asking DNS. */
function knownAddresses(url: string, { resolve }: ConnectionSpec): readonly string[] {
  const [entry] = resolve;
  const host = hostOf(new URL(url));
  if (entry !== undefined) return entry.addresses;
  if (host === "localhost") return ["127.0.0.1"];
  return isIP(host) === 0 ? [] : [host];
}
