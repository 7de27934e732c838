/** The commands, as commander knows them: the table of contents of the program. */

import { Command, Option } from "commander";
import { parseCount, parseDuration } from "../plan/units.ts";
import { resolvePolicy } from "../policy/catalogue.ts";
import { renderAb } from "../report/ab-text.ts";
import { renderTrial } from "../report/trial-text.ts";
import { resultJsonSchema } from "../result/json-schema.ts";
import { adderFor, named } from "./add-option.ts";
import { planArm, presetArm } from "./arm-policy.ts";
import { addCalibrateCommand } from "./calibrate-command.ts";
import { applyConfig } from "./config-options.ts";
import { applyEnvironment } from "./environment-options.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { settleSources } from "./flag-sources.ts";
import type { Host } from "./host.ts";
import { type LoadCommand, runLoadCommand } from "./load-command.ts";
import { addLoadOptions, addOutputOptions, type LoadFlags } from "./load-options.ts";
import { addPoliciesCommand } from "./policies-command.ts";
import { type RecoverFlags, runRecoverCommand } from "./recover-command.ts";
import type { Services } from "./services.ts";
import { addTargetCommand } from "./target-command.ts";

const DEFAULT_PAIRS = 3;
const DEFAULT_PAUSE_SECONDS = 2;

/** The demo: eight seconds of about twice the built-in target's capacity, off and on, two pairs: under a minute. */
const DEMO = {
  vus: 100,
  duration: 8,
  pairs: 2,
  policy: { name: "sre", options: { k: "2", window: "8" } },
};

const EXAMPLES = `
Examples:
  $ overload-bench demo                                        off against on, on the built-in target
  $ overload-bench --rps 2000 --url http://127.0.0.1:8080/     what sre clients do to your endpoint
  $ overload-bench ab --rps 2000 --url http://127.0.0.1:8080/  the same without and with overload control
  $ overload-bench ab --policy sre,k=1.1,window=10             another K, on the built-in target
  $ overload-bench --rps 1000 --sim shed:capacity=100          in simulation
  $ overload-bench calibrate                                   how much load this machine can make
  $ overload-bench policies                                    all policies; policies sre tells all of one

Every option with a value can be set as OVERLOAD_BENCH_<NAME> in the environment too, and all in a file (--config);
a flag wins over the environment, and that over the file.
Exit codes: 0 done, 1 failed, 2 usage, 3 an assertion failed, 4 measured but invalid, 130/143 interrupted.`;

/** @param finish takes the exit code of the command that ran. */
export function buildProgram(host: Host, services: Services, finish: (code: ExitCode) => void): Command {
  const program = new Command("overload-bench")
    .description("Measures what your own clients do to an overloaded backend, and which overload control to ship.")
    .version(services.version(), "-V, --version")
    .hook("preAction", async (_program, command) => {
      await applyConfig(command, host);
      applyEnvironment(command, host.env);
      settleSources(command);
    })
    .addHelpText("after", EXAMPLES);
  addRun(program, host, services, finish);
  addAb(program, host, services, finish);
  addDemo(program, host, services, finish);
  addPoliciesCommand(program, host, finish);
  addCalibrateCommand(program, host, services, finish);
  addTargetCommand(program, host, services, finish);
  addRecover(program, host, services, finish);
  program
    .command("schema")
    .description("print the JSON Schema of the result file")
    .action(() => {
      host.stdout.write(`${JSON.stringify(resultJsonSchema(), undefined, 2)}\n`);
      finish(EXIT.ok);
    });
  return program;
}

function addRun(program: Command, host: Host, services: Services, finish: (code: ExitCode) => void): void {
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

function addRecover(program: Command, host: Host, services: Services, finish: (code: ExitCode) => void): void {
  const command = program
    .command("recover")
    .description("the result of a run that was killed, from its journal")
    .argument("[journal]", "the journal (default: the newest one in results/)");
  addOutputOptions(adderFor(command));
  command.action(async (journal: string | undefined, flags: RecoverFlags) => {
    finish(await runRecoverCommand(host, services, journal, flags));
  });
}

function addAb(program: Command, host: Host, services: Services, finish: (code: ExitCode) => void): void {
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

function addDemo(program: Command, host: Host, services: Services, finish: (code: ExitCode) => void): void {
  const defaults = addLoadOptions(new Command()).opts<LoadFlags>();
  program
    .command("demo")
    .description("ab on the built-in target at about twice its capacity; under a minute")
    .action(async () => {
      const flags: LoadFlags = { ...defaults, ...DEMO, pause: DEFAULT_PAUSE_SECONDS };
      finish(await runLoadCommand(host, services, flags, await abCommand("demo", host, flags, DEMO.pairs)));
    });
}

async function abCommand(command: "ab" | "demo", host: Host, flags: LoadFlags, pairs: number): Promise<LoadCommand> {
  const on = await planArm(host, flags, "on");
  // Off is the plain client: as many attempts as the policy makes, and nothing to hold them back. Where only a budget bounds
  // them (0), as many as plain clients usually make.
  const { maxAttempts: attempts = 1 } = on.policy.options;
  const maxAttempts = attempts === 0 ? undefined : attempts;
  return { command, arms: [presetArm("off", resolvePolicy("retry", { maxAttempts })), on], pairs, render: renderAb };
}
