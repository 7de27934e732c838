/** `sweep`: which K, and which policy, to ship. */

import type { Command } from "commander";
import { closedFormOf } from "../../../experiment/sweep-law.ts";
import { renderSweep } from "../../../report/sweep-text.ts";
import type { Result } from "../../../result/schema.ts";
import type { Sweep } from "../../../result/sweep-schema.ts";
import { describeModel } from "../../../world/virtual/model.ts";
import type { ExitCode } from "../../exit-codes.ts";
import { checkGoverned, GOVERNED_RATE, isMultiple, multipleText } from "../../flags/capacity-rate.ts";
import type { LoadFlags } from "../../flags/load-options.ts";
import type { Host } from "../../host.ts";
import type { Services } from "../../services.ts";
import { type LoadCommand, runLoadCommand } from "../../session/load-command.ts";
import { concludeSweep } from "../../session/sweep-conclusion.ts";
import { planSweep, type SweepPlan } from "./sweep-cells.ts";
import { addSweepOptions, type SweepFlags } from "./sweep-options.ts";
import { lawOfModel, withRecovery } from "./sweep-recovery.ts";

const RECOVERY = "Then the recovery of each arm is simulated, in some seconds (--no-recovery: not).";

export function addSweepCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("sweep")
    .description("which K and which policy to ship: every combination of the lists given, and what they recommend");
  addSweepOptions(command);
  command.action(async (_flags: unknown, sweep: Command) => {
    const flags = governed(sweep.opts<SweepFlags>());
    const planned = await planSweep(host, flags);
    const load = sweepCommand(sweep, flags, planned);
    finish(
      await runLoadCommand(host, services, loadFlags(flags, planned), {
        ...load,
        ...multiplesOf(host, sweep, flags, planned),
      }),
    );
  });
}

/** With the rate that `--governor` means by itself. @throws CliError */
function governed(flags: SweepFlags): SweepFlags {
  const { governor, rps = [] } = flags;
  checkGoverned(
    flags,
    rps.map(({ value }) => value),
  );
  if (governor === undefined || rps.length > 0) return flags;
  return { ...flags, rps: [{ text: multipleText(GOVERNED_RATE), value: GOVERNED_RATE }] };
}

/** The flags of one load. */
function loadFlags({ governor, rps = [] }: SweepFlags, { flags }: SweepPlan): LoadFlags {
  const multiple = rps.map(({ value }) => value).find(isMultiple);
  if (multiple === undefined) return flags;
  return { ...flags, rps: multiple, ...(governor === undefined ? {} : { governor }) };
}

function multiplesOf(
  host: Host,
  asked: Command,
  flags: SweepFlags,
  { multiples }: SweepPlan,
): Pick<LoadCommand, "multiples"> {
  if (multiples.size === 0) return {};
  return {
    multiples: {
      rateOf: (arm) => multiples.get(arm),
      async at(capacityRps) {
        const planned = await planSweep(host, flags, capacityRps);
        return { flags: planned.flags, command: sweepCommand(asked, flags, planned) };
      },
    },
  };
}

function sweepCommand(
  asked: Command,
  { repeats, limit, recovery }: SweepFlags,
  { arms, axes, cells, remarks, flags }: SweepPlan,
): LoadCommand {
  const modelled = modelLaw(flags);
  const closedForm = closedFormOf(modelled);
  const layout: Sweep = {
    axes: [...axes],
    cells: [...cells],
    limits: [...limit],
    ...(closedForm === undefined ? {} : { closedForm }),
    recommendations: [],
  };
  return {
    command: "sweep",
    asked,
    arms,
    pairs: repeats,
    remarks: [...axes.map(axisLine), ...remarks, ...(recovery ? [RECOVERY] : [])],
    concluded: (result: Result) => concludeSweep(result.sweep === undefined ? { ...result, sweep: layout } : result),
    ...(recovery ? { finished: (result, context) => withRecovery(result, arms, modelled, context) } : {}),
    render: renderSweep,
  };
}

/** What `--sim` says of the backend; a real one shows it. */
function modelLaw({ sim, script }: LoadFlags): ReturnType<typeof lawOfModel> {
  if (sim === undefined) return undefined;
  const world = { kind: "virtual", ...sim, ...(script === undefined ? {} : { script }) } as const;
  return lawOfModel(world, describeModel(world));
}

function axisLine({ name, of, values }: Sweep["axes"][number]): string {
  return `Varied: ${name} = ${values.join(", ")}${of === "load" ? " (another load each)" : ""}.`;
}
