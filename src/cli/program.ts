/** The commands, as commander knows them: the table of contents of the program. */

import { Command } from "commander";
import { addAbCommand } from "./commands/ab-command.ts";
import { addCalibrateCommand } from "./commands/calibrate-command.ts";
import { addCapacityCommand } from "./commands/capacity-command.ts";
import { addCheckCommand } from "./commands/check-command.ts";
import { addCompareCommand } from "./commands/compare-command.ts";
import { addCompletionCommand } from "./commands/completion-command.ts";
import { addDemoCommand } from "./commands/demo-command.ts";
import { addPoliciesCommand } from "./commands/policies-command.ts";
import { addRecoverCommand } from "./commands/recover-command.ts";
import { addRecoveryCommand } from "./commands/recovery/recovery-command.ts";
import { addReportCommand } from "./commands/report-command.ts";
import { addReproduceCommand } from "./commands/reproduce/reproduce-command.ts";
import { addRunCommand } from "./commands/run-command.ts";
import { addSchemaCommand } from "./commands/schema-command.ts";
import { addSweepCommand } from "./commands/sweep/sweep-command.ts";
import { addTargetCommand } from "./commands/target-command.ts";
import type { ConfigFiles } from "./config/config-file.ts";
import { applyConfig } from "./config/config-options.ts";
import type { ExitCode } from "./exit-codes.ts";
import { applyEnvironment } from "./flags/environment-options.ts";
import { settleSources } from "./flags/flag-sources.ts";
import type { Host } from "./host.ts";
import type { Services } from "./services.ts";
import { applyResume } from "./session/resume.ts";

const EXAMPLES = `
Examples:
  $ overload-bench demo                                        off against on, on the built-in target
  $ overload-bench --rps 2000 --url http://127.0.0.1:8080/     what sre clients do to your endpoint
  $ overload-bench ab --rps 2000 --url http://127.0.0.1:8080/  the same without and with overload control
  $ overload-bench ab --policy sre,k=1.1,window=10             another K, on the built-in target
  $ overload-bench sweep --k 1.1,1.5,2 --limit 'waste<=0.3'    which K to ship, on the built-in target
  $ overload-bench capacity --url http://127.0.0.1:8080/       how much your endpoint takes
  $ overload-bench ab --rps 2x-capacity                        at twice the capacity, which is found first
  $ overload-bench recovery                                    which policies come back after a slow-down, and which do not
  $ overload-bench --rps 1000 --sim shed:capacity=100          in simulation
  $ overload-bench --config exp.yaml --dry-run                 what a file asks for, and where each value comes from
  $ overload-bench reproduce results/NAME.json                 run a recorded experiment again, and compare
  $ overload-bench report results/NAME.json -o report.html     a page of a result; also Markdown, CSV, JUnit and more
  $ overload-bench calibrate                                   how much load this machine can make
  $ overload-bench policies                                    all policies; policies sre tells all of one
  $ eval "$(overload-bench completion bash)"                   complete commands, flags and policies (also zsh, fish)

Every option with a value can be set as OVERLOAD_BENCH_<NAME> in the environment too, and all in a file (--config,
whose schema is overload-bench schema config); a flag wins over the environment, and that over the file.
Exit codes: 0 done, 1 failed, 2 usage, 3 an assertion failed, 4 measured but invalid, 130/143 interrupted.`;

/**
 * @param files reads what `--config` names.
 * @param finish takes the exit code of the command that ran.
 */
export function buildProgram(
  host: Host,
  services: Services,
  files: ConfigFiles,
  finish: (code: ExitCode) => void,
): Command {
  const program = new Command("overload-bench")
    .description("Measures what your own clients do to an overloaded backend, and which overload control to ship.")
    .version(services.version(), "-V, --version")
    .hook("preAction", async (_program, command) => {
      await applyConfig(command, files, host.env);
      applyEnvironment(command, host.env);
      settleSources(command);
      await applyResume(command, host, services);
    })
    .addHelpText("after", EXAMPLES);
  addRunCommand(program, host, services, finish);
  addAbCommand(program, host, services, finish);
  addSweepCommand(program, host, services, finish);
  addRecoveryCommand(program, host, services, finish);
  addCapacityCommand(program, host, services, finish);
  addCompareCommand(program, host, services, finish);
  addCheckCommand(program, host, services, finish);
  addReportCommand(program, host, services, finish);
  addDemoCommand(program, host, services, finish);
  addPoliciesCommand(program, host, finish);
  addCalibrateCommand(program, host, services, finish);
  addTargetCommand(program, host, services, finish);
  addRecoverCommand(program, host, services, finish);
  addReproduceCommand(program, host, services, finish);
  addSchemaCommand(program, host, finish);
  addCompletionCommand(program, host, finish);
  return program;
}
