/** From flags and arms to an experiment, before anything is started: what it will do, and the record of it. */

import { ALPHA, SMALLEST_EFFECT } from "../../comparison/defaults.ts";
import { createStopping } from "../../comparison/stopping.ts";
import type { ExperimentSpec } from "../../experiment/experiment.ts";
import { peakRps } from "../../plan/describe.ts";
import { checkAbort } from "../flags/abort-flag.ts";
import { checkAges } from "../flags/age-option.ts";
import type { PlannedArm } from "../flags/arm-policy.ts";
import { resolvePlan } from "../flags/arrival-options.ts";
import { checkGuards } from "../flags/guard-options.ts";
import { invocationOf } from "../flags/invocation.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import type { LoadCommand } from "./load-command.ts";
import { checkFlags, type Destination, describeConfig, destinationOf, resolveCommon } from "./resolve.ts";

/** An experiment, but for what is known only once its target runs: where that is, and what is to be said of this machine. */
export interface PlannedExperiment extends ExperimentSpec {
  readonly arms: readonly PlannedArm[];
  readonly destination: Destination;
  /** Threads of a real trial, or virtual trials at a time. */
  readonly workers: number;
}

/** Reads what files the flags name; starts nothing. @throws CliError */
export async function planExperiment(
  host: Host,
  services: Services,
  flags: LoadFlags,
  { command, asked, arms, pairs, stopsEarly = false, governor, shaped, recorded }: LoadCommand,
): Promise<PlannedExperiment> {
  checkFlags(flags, pairs);
  const given = await resolvePlan(host, flags);
  const plan = shaped?.(given) ?? given;
  checkGuards(flags, Math.max(...[plan, ...arms.flatMap(({ own }) => own?.plan ?? [])].map(peakRps)));
  const common = { ...(await resolveCommon(host, flags, plan)), ...(governor === undefined ? {} : { governor }) };
  checkAges(common, plan, arms);
  checkAbort(common.abortOn ?? [], Math.max(...arms.map(({ own }) => own?.timeoutSeconds ?? common.timeoutSeconds)));
  const destination = destinationOf(flags);
  const smallestEffect = flags.effect ?? SMALLEST_EFFECT;
  const workers = common.world.kind === "real" ? common.workers : (flags.workers ?? services.defaultWorkers());
  return {
    command,
    arms,
    pairs,
    plan,
    common,
    chance: flags.chance ?? "common",
    stopping: stopsEarly ? sequential(arms, pairs, plan.seed, smallestEffect) : { rule: "all-pairs" },
    smallestEffect,
    remarks: [],
    config: { ...describeConfig(common, plan, arms, pairs, destination, flags, workers), ...recorded },
    invocation: invocationOf(asked),
    destination,
    workers,
  };
}

function sequential(
  arms: readonly PlannedArm[],
  pairsMax: number,
  seed: number,
  smallestEffect: number,
): ExperimentSpec["stopping"] {
  return createStopping({ arms: arms.map(({ name }) => name), pairsMax, alpha: ALPHA, smallestEffect, seed }).rule;
}
