/** `ab`: arms against each other, on the same arrivals. */

import type { Command } from "commander";
import { resolvePolicy } from "../../policy/catalogue.ts";
import { renderAb } from "../../report/ab-text.ts";
import { CliError } from "../cli-error.ts";
import type { ExitCode } from "../exit-codes.ts";
import { adderFor } from "../flags/add-option.ts";
import { addAgeOption } from "../flags/age-option.ts";
import { type ArmChoice, parseArm } from "../flags/arm-flag.ts";
import { chosenArm, type PlannedArm, planArm, presetArm } from "../flags/arm-policy.ts";
import { addComparisonOptions, addRepeatOptions, addResumeOption } from "../flags/experiment-options.ts";
import { addGovernorOption } from "../flags/governor-flag.ts";
import { addLoadOptions, type LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { type LoadCommand, runLoadCommand } from "../session/load-command.ts";

const DEFAULT_PAIRS = 3;

interface AbFlags extends LoadFlags {
  readonly arm?: readonly ArmChoice[];
  readonly repeats: number;
  readonly earlyStop: boolean;
}

export function addAbCommand(program: Command, host: Host, services: Services, finish: (code: ExitCode) => void): void {
  const command = program
    .command("ab")
    .description(
      "policies against each other on the same arrivals: any with --arm, else plain retries against --policy",
    );
  addLoadOptions(command).optionsGroup("Experiment:");
  const add = adderFor(command);
  add(
    "--arm <arm>",
    "a name, its policy and options, to be repeated; the first is the baseline: off:policy=none, on:policy=sre,k=2, mine:policy=./mine.ts,attemptTimeout=500ms, old:policy=sre,age=120s",
    parseArm,
  );
  addRepeatOptions(
    add,
    DEFAULT_PAIRS,
    "pairs: each arm once, in an order that is balanced, on the same arrivals; with 7 or more it may be decided earlier",
  );
  add("--no-early-stop", "run all pairs, also when fewer of them decide");
  addComparisonOptions(add);
  addAgeOption(add);
  addGovernorOption(add);
  addResumeOption(add);
  command.action(async (_flags: unknown, ab: Command) => {
    const flags = ab.opts<AbFlags>();
    const arms = flags.arm === undefined ? await offAndOn(host, flags) : await chosenArms(host, flags.arm, ab);
    const { repeats: pairs, earlyStop: stopsEarly } = flags;
    const load: LoadCommand = { command: "ab", asked: ab, arms, pairs, stopsEarly, render: renderAb };
    finish(await runLoadCommand(host, services, flags, load));
  });
}

/** The policy that the flags name against none. */
export async function offAndOn(host: Host, flags: LoadFlags): Promise<readonly PlannedArm[]> {
  const on = await planArm(host, flags, "on");
  // Off is the plain client: as many attempts as the policy makes, and nothing to hold them back. Where only a budget bounds
  // them (0), as many as plain clients usually make.
  const { maxAttempts: attempts = 1 } = on.policy.options;
  const maxAttempts = attempts === 0 ? undefined : attempts;
  return [presetArm("off", resolvePolicy("retry", { maxAttempts })), on];
}

async function chosenArms(host: Host, choices: readonly ArmChoice[], command: Command): Promise<readonly PlannedArm[]> {
  for (const name of ["policy", "k", "window", "scope"]) {
    if ((command.getOptionValueSource(name) ?? "default") === "default") continue;
    throw new CliError(
      `--arm says what policy each arm has, so it excludes --${name}: write on:policy=sre,k=2,window=10`,
    );
  }
  if (choices.length < 2) {
    throw new CliError(`--arm must be given at least twice, the baseline first: only '${choices[0]?.name}' is given`);
  }
  const arms: PlannedArm[] = [];
  for (const choice of choices) arms.push(await chosenArm(host, choice));
  return arms;
}
