/** The built-in target: an HTTP server in a process of its own that can be overloaded. See README.md beside it. */
import process from "node:process";
import { HELP, type OverloadableOptions, parseOptions, UsageError } from "./overloadable/options.ts";
import { createOverloadableServer } from "./overloadable/server.ts";
import { isMainModule } from "./program/main-module.ts";
import { die, serveProgram } from "./program/serve-program.ts";

const NAME = "overloadable";

function main(args: readonly string[]): void {
  let options: OverloadableOptions | "help";
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    die(NAME, `${error.message} (see --help)`, 2);
  }
  if (options === "help") {
    process.stdout.write(HELP);
    return;
  }
  const server = createOverloadableServer(options);
  serveProgram(NAME, server, options, () => server.closeAllConnections());
}

if (isMainModule(import.meta)) main(process.argv.slice(2));
