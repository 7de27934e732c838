/** A process that answers every request at once with 200, for benchmarks. Prints its port; ends when stdin closes. */

import net from "node:net";
import process from "node:process";

const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok");

const server = net.createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => {});
  socket.on("data", () => {
    socket.write(ANSWER);
  });
});
server.listen({ host: "127.0.0.1", port: 0 }, () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();
