// Listens, and never takes a connection: it stands still as soon as it has told its port.
import net from "node:net";
import process from "node:process";

const server = net.createServer();
server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
  process.stdout.write(`${server.address().port}\n`, () => {
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 20);
  });
});
