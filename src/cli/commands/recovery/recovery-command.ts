/** `recovery`: does the system come back after a trigger, and with which clients? */

import type { Command } from "commander";
import type { TrialSpec } from "../../../engine/trial-spec.ts";
import { concludeRecovery } from "../../../experiment/recovery-conclusion.ts";
import { recoveryPlan, recoveryWindowSeconds, triggerSpan } from "../../../experiment/recovery-specs.ts";
import { formatTrigger, triggerWords } from "../../../experiment/recovery-trigger.ts";
import { withRecovery } from "../../../experiment/trial-recovery.ts";
import { formatDuration } from "../../../figures/duration.ts";
import { formatNumber, formatPercent } from "../../../figures/number-format.ts";
import { createPlan, type PlanSpec } from "../../../plan/plan.ts";
import { renderRecovery } from "../../../report/recovery-text.ts";
import type { Recovery } from "../../../result/recovery-schema.ts";
import type { Result } from "../../../result/schema.ts";
import { wilsonInterval } from "../../../stats/wilson.ts";
import type { ExitCode } from "../../exit-codes.ts";
import { named } from "../../flags/add-option.ts";
import { isMultiple, type RpsFlag, rateAsked } from "../../flags/capacity-rate.ts";
import type { LoadFlags } from "../../flags/load-options.ts";
import type { Host } from "../../host.ts";
import type { Services } from "../../services.ts";
import type { StartBeside } from "../../session/beside-trial.ts";
import { type KnownLoad, UNKNOWN_RPS, withRps } from "../../session/capacity-loads.ts";
import { type FinishContext, type LoadCommand, runLoadCommand } from "../../session/load-command.ts";
import { type MapPlan, mapRemark, planMap } from "./map-options.ts";
import { withMap } from "./map-run.ts";
import { addRecoveryOptions, REPEATS, type RecoveryFlags } from "./recovery-options.ts";
import { planRecoveryRun, type RecoverySetup } from "./recovery-plan.ts";
import { TriggerHook } from "./trigger-hook.ts";

export function addRecoveryCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("recovery")
    .description("does the system come back after a trigger, and with which policy: load, a trigger, load again");
  addRecoveryOptions(command);
  command.action(async (_flags: unknown, recovery: Command) => {
    const flags = recovery.opts<RecoveryFlags>();
    const setup = await planRecoveryRun(host, recovery, flags);
    finish(await runLoadCommand(host, services, setup.flags, recoveryCommand(services, recovery, flags, setup)));
  });
}

function recoveryCommand(services: Services, asked: Command, asks: RecoveryFlags, setup: RecoverySetup): LoadCommand {
  const { repeats, within: withinSeconds } = asks;
  const { trigger, settleSeconds, horizonSeconds, hook, arms, flags } = setup;
  const disturbance = { trigger: formatTrigger(trigger), ...(hook === undefined ? {} : { hook }) };
  const rate = rateAsked(flags);
  const rps = isMultiple(rate) ? undefined : rate;
  const layout: Recovery = {
    ...disturbance,
    ...(rps === undefined ? {} : { rps }),
    settleSeconds,
    withinSeconds,
    horizonSeconds,
    ageSeconds: flags.age?.seconds ?? 0,
    arms: [],
    conclusion: "",
  };
  // Of a load that is a multiple the map is known once its capacity is: see `multiples`.
  const map = planMap(asks, rps ?? UNKNOWN_RPS, worldOf(flags), horizonSeconds);
  const planned = { kind: trigger.kind, text: disturbance.trigger, ...triggerSpan(setup) };
  const command: LoadCommand = {
    command: "recovery",
    asked,
    arms,
    pairs: repeats,
    shaped: (plan) => shaped(plan, setup),
    recorded: { recovery: { ...disturbance, settleSeconds, horizonSeconds, withinSeconds } },
    // When a hook was at work is known beside the trial alone.
    ...(hook === undefined
      ? { judged: (trial) => withRecovery(trial, planned) }
      : { beside: besideTrial(services, setup, hook) }),
    concluded: (result) => concludeRecovery({ ...result, recovery: result.recovery ?? layout }),
    confirms: `${loadText(rate)}, disturbed by ${triggerWords(trigger)},`,
    ...(map === undefined ? {} : { finished: (result, context) => mapped(result, map, setup, context) }),
    remarks: [...remarksOf(setup, repeats), ...(rps === undefined ? [] : mapRemarks(map, setup))],
    render: renderRecovery,
  };
  if (!isMultiple(rate)) return command;
  const at = async (capacityRps: number): Promise<KnownLoad> => {
    const known = withRps(flags, rate, capacityRps);
    if (capacityRps === UNKNOWN_RPS) return { flags: known, command };
    return { flags: known, command: recoveryCommand(services, asked, asks, { ...setup, flags: known }) };
  };
  return { ...command, multiples: { rateOf: () => rate, at } };
}

/** @throws CliError */
function shaped(plan: PlanSpec, setup: RecoverySetup): PlanSpec {
  return named("The load is out of range:", () => createPlan(recoveryPlan(plan, setup)).spec);
}

function besideTrial(services: Services, setup: RecoverySetup, command: string): StartBeside {
  const { trigger } = setup;
  const span = triggerSpan(setup);
  return ({ plan: { warmupSeconds } }, { note, giveUp }) =>
    new TriggerHook({
      command,
      trigger: { kind: trigger.kind, text: formatTrigger(trigger) },
      fromSeconds: warmupSeconds + span.fromSeconds,
      toSeconds: warmupSeconds + span.toSeconds,
      shell: services.hookShell(),
      note,
      failed: giveUp,
    });
}

function remarksOf(
  { trigger, hook, settleSeconds, horizonSeconds }: RecoverySetup,
  repeats: number,
): readonly string[] {
  const times = `${formatDuration(settleSeconds)} of base load, ${triggerWords(trigger)}, ${formatDuration(horizonSeconds)} of base load.`;
  const by = hook === undefined ? [] : [`The trigger is run by a shell: ${hook} start, then ${hook} end.`];
  if (repeats >= REPEATS) return [`Each trial: ${times}`, ...by];
  const { high } = wilsonInterval(0, repeats);
  const few = `With --repeats ${repeats} there are too few seeds for a share: where none is stuck, up to ${formatPercent(high)} may be; ${REPEATS} or more tell better.`;
  return [`Each trial: ${times}`, ...by, few];
}

function loadText(rps: RpsFlag | undefined): string {
  if (rps === undefined) return "a load";
  return isMultiple(rps) ? `${rps.timesCapacity} times its capacity` : `${formatNumber(rps)} calls/s`;
}

function worldOf({ sim }: LoadFlags): "real" | "virtual" {
  return sim === undefined ? "real" : "virtual";
}

function mapRemarks(map: MapPlan | undefined, setup: RecoverySetup): readonly string[] {
  const { flags, arms } = setup;
  if (map === undefined) return [];
  const trialSeconds = flags.warmup + recoveryWindowSeconds({ ...setup, horizonSeconds: map.horizonSeconds });
  return [mapRemark(map, worldOf(flags), arms.length, trialSeconds)];
}

async function mapped(result: Result, map: MapPlan, setup: RecoverySetup, context: FinishContext): Promise<Result> {
  return await withMap(result, map, setup, {
    ...context,
    specOf: (arm) => withoutScript(context.specOf(arm)),
    note: (text) => context.progress.note(text),
  });
}

/** The trial without what the trigger did to it: there is no other script. */
function withoutScript({ world, ...spec }: TrialSpec): TrialSpec {
  if (world.kind === "real") return { ...spec, world };
  const { script: _, ...steady } = world;
  return { ...spec, world: steady };
}
