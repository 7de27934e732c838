/** A server in this thread that answers everything at once and does nothing: somebody to rehearse with. */

import net from "node:net";

const ANSWERS = [
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
  "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno",
].map((answer) => Buffer.from(answer));

export interface NullServer {
  readonly url: string;
  close(): void;
}

/** Answers 200 and 503 in turn, one answer for each piece of data that comes in. */
export function openNullServer(): Promise<NullServer> {
  let answered = 0;
  return serveOnLoopback((socket) => {
    socket.on("data", () => {
      socket.write(ANSWERS[answered % ANSWERS.length] as Buffer);
      answered += 1;
    });
  });
}

/** Takes connections on a free port of the loopback interface. */
export async function serveOnLoopback(serve: (socket: net.Socket) => void): Promise<NullServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
