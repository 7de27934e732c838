// Sends one request through undici's dispatch, undici being resolved by the runtime itself rather than by a bundler, and
// prints which runtime that was and the status that came back.
import { createServer } from "node:http";
import process from "node:process";
import { Pool } from "undici/index.js";

const server = createServer((_request, response) => {
  response.writeHead(503).end("busy");
});
await new Promise((resolve) => {
  server.listen(0, "127.0.0.1", resolve);
});
const pool = new Pool(`http://127.0.0.1:${server.address().port}`, { connections: 1 });
const status = await new Promise((resolve, reject) => {
  let statusCode = 0;
  pool.dispatch(
    { path: "/", method: "GET" },
    {
      onRequestStart() {},
      onResponseStart(_controller, code) {
        statusCode = code;
      },
      onResponseData() {},
      onResponseEnd() {
        resolve(statusCode);
      },
      onResponseError(_controller, error) {
        reject(error);
      },
    },
  );
});
const runtime = process.versions.bun !== undefined ? "bun" : "Deno" in globalThis ? "deno" : "node";
process.stdout.write(`${JSON.stringify({ runtime, status })}\n`);
await pool.destroy();
server.closeAllConnections();
server.close();
