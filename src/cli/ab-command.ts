/** `ab`: arms against each other, on the same arrivals. */

import { type Command, Option } from "commander";
import { parseCount, parseDuration } from "../plan/units.ts";
import { resolvePolicy } from "../policy/catalogue.ts";
import { renderAb } from "../report/ab-text.ts";
import { named } from "./add-option.ts";
import { planArm, presetArm } from "./arm-policy.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Host } from "./host.ts";
import { type LoadCommand, runLoadCommand } from "./load-command.ts";
import { addLoadOptions, type LoadFlags } from "./load-options.ts";
import type { Services } from "./services.ts";

const DEFAULT_PAIRS = 3;
export const DEFAULT_PAUSE_SECONDS = 2;

export function addAbCommand(program: Command, host: Host, services: Services, finish: (code: ExitCode) => void): void {
  const command = program
    .command("ab")
    .description("the same arrivals without (off: plain retries) and with (on) overload control");
  addLoadOptions(command)
    .optionsGroup("Experiment:")
    .addOption(
      new Option("--repeats <pairs>", "pairs of trials, off-on and on-off in turn")
        .argParser((text) => named("--repeats", () => parseCount(text)))
        .default(DEFAULT_PAIRS, String(DEFAULT_PAIRS)),
    )
    .addOption(
      new Option("--pause <time>", "rest between trials, for a target whose counters cannot be read")
        .argParser((text) => named("--pause", () => parseDuration(text)))
        .default(DEFAULT_PAUSE_SECONDS, `${DEFAULT_PAUSE_SECONDS}s`),
    )
    .action(async (_flags: unknown, ab: Command) => {
      const flags = ab.opts<LoadFlags & { readonly repeats: number }>();
      finish(await runLoadCommand(host, services, flags, await abCommand("ab", host, flags, flags.repeats)));
    });
}

export async function abCommand(
  command: "ab" | "demo",
  host: Host,
  flags: LoadFlags,
  pairs: number,
): Promise<LoadCommand> {
  const on = await planArm(host, flags, "on");
  // Off is the plain client: as many attempts as the policy makes, and nothing to hold them back. Where only a budget bounds
  // them (0), as many as plain clients usually make.
  const { maxAttempts: attempts = 1 } = on.policy.options;
  const maxAttempts = attempts === 0 ? undefined : attempts;
  return { command, arms: [presetArm("off", resolvePolicy("retry", { maxAttempts })), on], pairs, render: renderAb };
}
