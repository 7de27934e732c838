/** The null server: answers every request at once. What it is told to have taken is the client's own doing. */
import process from "node:process";
import { createNullServer } from "./null/server.ts";
import { describeFlags, parseFlags } from "./program/flags.ts";
import { LISTEN_FLAGS } from "./program/listen-flags.ts";
import { isMainModule } from "./program/main-module.ts";
import { runProgram } from "./program/run-program.ts";
import { serveProgram } from "./program/serve-program.ts";

const NAME = "null";

const help = (): string => `Usage: overload-bench target ${NAME} [options]

An HTTP/1.1 server that answers every request with 200 at once and does nothing else. One JSON line on stdout says where
it listens. GET /__stats answers with the number of other requests so far as JSON.

${describeFlags(LISTEN_FLAGS)}`;

if (isMainModule(import.meta)) {
  await runProgram(NAME, {
    parse: () => parseFlags(LISTEN_FLAGS, process.argv.slice(2)),
    help,
    serve(options) {
      const { server, closeConnections } = createNullServer();
      serveProgram(NAME, server, options, closeConnections);
    },
  });
}
