/** `sweep`: which K, and which policy, to ship. */

import type { Command } from "commander";
import { closedFormOf } from "../../../experiment/sweep-law.ts";
import { renderSweep } from "../../../report/sweep-text.ts";
import type { Result } from "../../../result/schema.ts";
import type { Sweep } from "../../../result/sweep-schema.ts";
import { describeModel } from "../../../world/virtual/model.ts";
import type { ExitCode } from "../../exit-codes.ts";
import type { LoadFlags } from "../../flags/load-options.ts";
import type { Host } from "../../host.ts";
import type { Services } from "../../services.ts";
import { type LoadCommand, runLoadCommand } from "../../session/load-command.ts";
import { planSweep, type SweepPlan } from "./sweep-cells.ts";
import { concludeSweep } from "./sweep-conclusion.ts";
import { addSweepOptions, type SweepFlags } from "./sweep-options.ts";
import { lawOfModel, withRecovery } from "./sweep-recovery.ts";

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
    const flags = sweep.opts<SweepFlags>();
    const planned = await planSweep(host, flags);
    finish(await runLoadCommand(host, services, planned.flags, sweepCommand(sweep, flags, planned)));
  });
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
    remarks: [...axes.map(axisLine), ...remarks],
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
