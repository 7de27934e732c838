/** HAProxy with `maxconn` and a queue time-out before a slow upstream, as a target. See README.md beside it. */
import process from "node:process";
import { HAPROXY } from "./haproxy/server.ts";
import { runRealServer } from "./real-server/main.ts";

await runRealServer(HAPROXY, process.argv.slice(2));
