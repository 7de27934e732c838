/**
 * A process that answers every request at once with 200, for benchmarks.
 *
 *   null-server.mjs [host [port]]     default: 127.0.0.1 and a free port
 *
 * Prints its port, then for each line on stdin the number of requests so far; ends when stdin closes. It takes each piece
 * of data for one request: true of small ones that are not pipelined.
 */

import { Buffer } from "node:buffer";
import net from "node:net";
import process from "node:process";

const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok");

let requests = 0;
const server = net.createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => {});
  socket.on("data", () => {
    requests += 1;
    socket.write(ANSWER);
  });
});
const [host = "127.0.0.1", port = "0"] = process.argv.slice(2);
server.listen({ host, port: Number(port), backlog: 4096 }, () => {
  process.stdout.write(`${server.address().port}\n`);
});
process.stdin.on("data", () => process.stdout.write(`${requests}\n`));
process.stdin.on("end", () => process.exit(0));
