/** From the flags to an experiment: defaults that depend on each other, policies, the request, and the record of it all. */

import type { RealWorldSpec, TrialSpec, VirtualWorldSpec } from "../../engine/trial-spec.ts";
import { type ExperimentSpec, pairSeed } from "../../experiment/experiment.ts";
import { describeArrival, describeRate } from "../../plan/describe.ts";
import type { PlanSpec } from "../../plan/plan.ts";
import { formatScript } from "../../plan/script.ts";
import { redactHeaders, redactUrl } from "../../result/redact.ts";
import { CliError } from "../cli-error.ts";
import { withAge } from "../flags/age-option.ts";
import { describeArm, type PlannedArm } from "../flags/arm-policy.ts";
import { describeReplay } from "../flags/arrival-options.ts";
import { describeConnections, resolveConnections } from "../flags/connection-options.ts";
import { describeGovernor } from "../flags/governor-flag.ts";
import { checkTogether, type LoadFlags } from "../flags/load-options.ts";
import type { Script } from "../flags/script-flag.ts";
import type { SimChoice } from "../flags/sim-option.ts";
import { transportOf } from "../flags/transport-flag.ts";
import type { Host } from "../host.ts";
import { readBytes } from "../input-file.ts";
import { sha256Of } from "./policy-files.ts";

/**
 * The built-in target when the flags say nothing of it: 5 ms of work a call, so that about twice its capacity, and the
 * storm of time-outs and new connections that plain retries make of it, stay well within one generator's reach.
 */
const BUILT_IN_TARGET = "shed:acceptMs=5,rejectMs=1.5,queue=50";
/** What the built-in target reads. */
const DEFAULT_CRITICALITY_HEADER = "x-criticality";

/** Where the load goes, before the built-in target has been started. */
export type Destination =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "builtIn"; readonly spec: string }
  | { readonly kind: "virtual" };

export function destinationOf(flags: LoadFlags): Destination {
  if (flags.url !== undefined) return { kind: "url", url: flags.url };
  return flags.sim !== undefined ? { kind: "virtual" } : { kind: "builtIn", spec: flags.target ?? BUILT_IN_TARGET };
}

/** What all trials share, but for the URL of a target that has not been started yet. @throws CliError */
export async function resolveCommon(host: Host, flags: LoadFlags, plan: PlanSpec): Promise<ExperimentSpec["common"]> {
  return {
    timeoutSeconds: flags.timeout,
    drainSeconds: flags.drain,
    maxInFlight: flags.maxInFlight,
    late: flags.late,
    workers: flags.sim === undefined ? (flags.workers ?? 1) : 1,
    overloadedOn: flags.overloadedOn,
    okOn: flags.okOn,
    ...(flags.criticality === undefined ? {} : { criticality: flags.criticality }),
    ...withAge(flags.age),
    ...(flags.abortOn === undefined ? {} : { abortOn: flags.abortOn }),
    world: flags.sim === undefined ? await resolveRequest(host, flags, plan) : virtualWorld(flags.sim, flags.script),
  };
}

function virtualWorld(sim: SimChoice, script: Script | undefined): VirtualWorldSpec {
  return { kind: "virtual", ...sim, ...(script === undefined ? {} : { script }) };
}

/** The same with the place where the target is. */
export function withUrl(common: ExperimentSpec["common"], url: string): ExperimentSpec["common"] {
  return common.world.kind === "virtual" ? common : { ...common, world: { ...common.world, url } };
}

/** Checks what needs no outside world. @throws CliError */
export function checkFlags(flags: LoadFlags, pairs: number): void {
  checkTogether(flags);
  if (!Number.isSafeInteger(pairSeed(flags.seed, pairs - 1))) {
    throw new CliError(`--seed must leave room for ${pairs} pairs, so be below 2^52: current value is "${flags.seed}"`);
  }
}

/**
 * Every option as resolved, secrets redacted: what a reader needs to run it again.
 *
 * @param workers threads of a real trial, or virtual trials at a time.
 */
export function describeConfig(
  common: ExperimentSpec["common"],
  plan: PlanSpec,
  arms: readonly PlannedArm[],
  pairs: number,
  destination: Destination,
  flags: LoadFlags,
  workers: number,
): Record<string, unknown> {
  const { world, ...rest } = common;
  const { arrival, ...planned } = plan;
  return {
    arms: arms.map(describeArm),
    pairs,
    plan: { ...planned, arrival: describeArrival(arrival), rate: describeRate(plan) },
    ...describeReplay(flags),
    ...rest,
    ...(rest.governor === undefined ? {} : { governor: describeGovernor(rest.governor) }),
    workers,
    world: {
      ...(world.kind === "real" ? describeRequest(world, destination, flags) : world),
      ...(flags.script === undefined ? {} : { script: formatScript(flags.script) }),
    },
  };
}

function describeRequest(world: RealWorldSpec, destination: Destination, flags: LoadFlags): Record<string, unknown> {
  const builtIn = destination.kind === "builtIn";
  return {
    kind: world.kind,
    // The built-in target gets another port each time: its settings are what can be repeated.
    ...(builtIn ? { builtInTarget: destination.spec } : { url: redactUrl(world.url) }),
    method: world.method,
    headers: redactHeaders(world.headers),
    ...(world.body === undefined ? {} : { bodyBytes: world.body.byteLength, bodySha256: sha256Of(world.body) }),
    ...(flags.bodyFile === undefined ? {} : { bodyFile: flags.bodyFile }),
    pacing: world.pacing,
    ...(world.transport === undefined ? {} : { transport: world.transport }),
    ...(world.criticalityHeader === undefined ? {} : { criticalityHeader: world.criticalityHeader }),
    connections: describeConnections(flags, world.connections),
    stats: flags.stats,
    sentinel: flags.sentinel,
    ...(builtIn ? { pin: flags.pin } : {}),
    ...(flags.pause === undefined ? {} : { pauseSeconds: flags.pause }),
    ...(flags.twin === true ? { twin: true } : {}),
  };
}

async function resolveRequest(host: Host, flags: LoadFlags, plan: PlanSpec): Promise<TrialSpec["world"]> {
  const body = await resolveBody(host, flags);
  const transport = transportOf(flags);
  return {
    kind: "real",
    url: flags.url ?? "",
    method: flags.method ?? (body === undefined ? "GET" : "POST"),
    headers: flags.header,
    body,
    pacing: flags.pacing,
    ...(transport === undefined ? {} : { transport }),
    sentinelUrl: undefined,
    ...(flags.criticality === undefined
      ? {}
      : { criticalityHeader: flags.criticalityHeader ?? DEFAULT_CRITICALITY_HEADER }),
    connections: await resolveConnections(host, flags, plan),
  };
}

async function resolveBody(host: Host, flags: LoadFlags): Promise<Uint8Array | undefined> {
  if (flags.body !== undefined) return new TextEncoder().encode(flags.body);
  return flags.bodyFile === undefined ? undefined : await readBytes(host, "--body-file", flags.bodyFile);
}
