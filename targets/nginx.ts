/** nginx with `limit_req` before a slow upstream, as a target. See README.md beside it. */
import process from "node:process";
import { NGINX } from "./nginx/server.ts";
import { runRealServer } from "./real-server/main.ts";

await runRealServer(NGINX, process.argv.slice(2));
