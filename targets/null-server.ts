/** The null server: answers every request at once. What it is told to have taken is the client's own doing. */
import process from "node:process";
import { HELP, parseOptions, UsageError } from "./null/options.ts";
import { createNullServer } from "./null/server.ts";
import { isMainModule } from "./program/main-module.ts";
import { die, type ProgramOptions, serveProgram } from "./program/serve-program.ts";

const NAME = "null-server";

function main(args: readonly string[]): void {
  let options: ProgramOptions | "help";
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
  const { server, closeConnections } = createNullServer();
  serveProgram(NAME, server, options, closeConnections);
}

if (isMainModule(import.meta)) main(process.argv.slice(2));
