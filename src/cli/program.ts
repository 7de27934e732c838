/** The commands, as commander knows them: the table of contents of the program. */

import { Command } from "commander";
import { resultJsonSchema } from "../result/json-schema.ts";
import { addAbCommand } from "./ab-command.ts";
import { addCalibrateCommand } from "./calibrate-command.ts";
import { applyConfig } from "./config-options.ts";
import { addDemoCommand } from "./demo-command.ts";
import { applyEnvironment } from "./environment-options.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { settleSources } from "./flag-sources.ts";
import type { Host } from "./host.ts";
import { addPoliciesCommand } from "./policies-command.ts";
import { addRecoverCommand } from "./recover-command.ts";
import { addRunCommand } from "./run-command.ts";
import type { Services } from "./services.ts";
import { addTargetCommand } from "./target-command.ts";

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
  addRunCommand(program, host, services, finish);
  addAbCommand(program, host, services, finish);
  addDemoCommand(program, host, services, finish);
  addPoliciesCommand(program, host, finish);
  addCalibrateCommand(program, host, services, finish);
  addTargetCommand(program, host, services, finish);
  addRecoverCommand(program, host, services, finish);
  program
    .command("schema")
    .description("print the JSON Schema of the result file")
    .action(() => {
      host.stdout.write(`${JSON.stringify(resultJsonSchema(), undefined, 2)}\n`);
      finish(EXIT.ok);
    });
  return program;
}
