/**
 * The pathological server as a process: `pathological-main.ts <name> [seed]`. Prints its port; answers the line `pid` on
 * stdin with its own (a runtime may be started by a script), and each other with its truth so far, as one line of JSON;
 * ends when stdin does.
 */

import process from "node:process";
import { createInterface } from "node:readline";
import { startPathological } from "./pathological-server.ts";
import { type PathologyName, pathologyOf } from "./pathologies.ts";

const [name = "", seed] = process.argv.slice(2);
const { standstill } = pathologyOf(name);
const server = await startPathological(name as PathologyName, seed === undefined ? undefined : Number(seed));
if (standstill !== undefined) {
  const never = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.wait(never, 0, 0, standstill.forMs), standstill.everyMs);
}
process.stdout.write(`${server.port}\n`);
const questions = createInterface({ input: process.stdin });
questions.on("line", async (question) => {
  const answer = question === "pid" ? process.pid : await server.truth();
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
questions.on("close", () => process.exit(0));
