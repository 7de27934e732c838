/**
 * The pathological server as a process: `pathological-main.ts <name> [seed]`. Prints its port; answers the line `pid` on
 * stdin with its own (a runtime may be started by a script), and each other with its truth so far, as one line of JSON;
 * ends when stdin does.
 */

import net from "node:net";
import process from "node:process";
import { createInterface } from "node:readline";
import { startPathological } from "./pathological-server.ts";
import { type PathologyName, pathologyOf } from "./pathologies.ts";

/** Requests before the first that counts: cold code here would be told as the generator's error. */
const WARM_REQUESTS = 2000;
const WARM_CONNECTIONS = 8;

/** Answers requests of its own, one after the other on each connection. */
async function warmUp(): Promise<void> {
  const server = await startPathological("instant");
  const request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let left = WARM_REQUESTS / WARM_CONNECTIONS;
      const socket = net.connect(server.port, "127.0.0.1", () => socket.write(request));
      socket.once("error", reject);
      socket.on("data", () => {
        left -= 1;
        if (left > 0) socket.write(request);
        else socket.end();
      });
      socket.once("close", () => resolve());
    });
  await Promise.all(Array.from({ length: WARM_CONNECTIONS }, ask));
  await server.close();
}

const [name = "", seed] = process.argv.slice(2);
const { standstill } = pathologyOf(name);
await warmUp();
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
