/** The built-in target: an HTTP server in a process of its own that can be overloaded. See README.md beside it. */
import process from "node:process";
import { HELP, parseOptions } from "./overloadable/options.ts";
import { createOverloadableServer } from "./overloadable/server.ts";
import { isMainModule } from "./program/main-module.ts";
import { runProgram } from "./program/run-program.ts";
import { serveProgram } from "./program/serve-program.ts";

const NAME = "overloadable";

if (isMainModule(import.meta)) {
  await runProgram(NAME, {
    parse: () => parseOptions(process.argv.slice(2)),
    help: () => HELP,
    serve(options) {
      const server = createOverloadableServer(options);
      serveProgram(NAME, server, options, () => server.closeAllConnections());
    },
  });
}
