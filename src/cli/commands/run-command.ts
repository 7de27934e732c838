/** `run`: one policy against the target. */

import type { Command } from "commander";
import { renderRun } from "../../report/run-text.ts";
import { CliError } from "../cli-error.ts";
import type { ExitCode } from "../exit-codes.ts";
import { adderFor } from "../flags/add-option.ts";
import { addAgeOption } from "../flags/age-option.ts";
import { planArm } from "../flags/arm-policy.ts";
import { addRepeatOptions, addResumeOption } from "../flags/experiment-options.ts";
import { addGovernorOption } from "../flags/governor-flag.ts";
import { addLoadOptions, type LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { type LoadCommand, runLoadCommand } from "../session/load-command.ts";

interface RunFlags extends LoadFlags {
  readonly repeats: number;
}

export function addRunCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = addLoadOptions(
    program.command("run", { isDefault: true }).description("one policy, one trial or several (the default command)"),
  ).optionsGroup("Experiment:");
  const add = adderFor(command);
  addRepeatOptions(add, 1, "trials of the policy, each with arrivals of its own");
  addAgeOption(add);
  addGovernorOption(add);
  addResumeOption(add);
  add("--twin", "then the same in simulation, against the law that the target showed, and how far off it is");
  command.action(async (_flags: unknown, run: Command) => {
    const flags = run.opts<RunFlags>();
    if (flags.twin === true && flags.repeats > 1) {
      throw new CliError(`--twin is of a single trial: it excludes --repeats ${flags.repeats}`);
    }
    const arms = [await planArm(host, flags)];
    const load: LoadCommand = { command: "run", asked: run, arms, pairs: flags.repeats, render: renderRun };
    finish(await runLoadCommand(host, services, flags, load));
  });
}
