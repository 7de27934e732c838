/** `run`: one policy against the target. */

import type { Command } from "commander";
import { renderTrial } from "../report/trial-text.ts";
import { adderFor } from "./add-option.ts";
import { planArm } from "./arm-policy.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Host } from "./host.ts";
import { type LoadCommand, runLoadCommand } from "./load-command.ts";
import { addLoadOptions, type LoadFlags } from "./load-options.ts";
import type { Services } from "./services.ts";

export function addRunCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = addLoadOptions(
    program.command("run", { isDefault: true }).description("one policy, one trial (the default command)"),
  ).optionsGroup("Experiment:");
  adderFor(command)(
    "--twin",
    "then the same in simulation, against the law that the target showed, and how far off it is",
  );
  command.action(async (_flags: unknown, run: Command) => {
    const flags = run.opts<LoadFlags>();
    const arms = [await planArm(host, flags)];
    const load: LoadCommand = { command: "run", arms, pairs: 1, render: (result) => renderTrial(result, 0) };
    finish(await runLoadCommand(host, services, flags, load));
  });
}
