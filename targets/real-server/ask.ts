import { connect } from "node:net";

/**
 * Whether a server answers HTTP on a Unix domain socket of its own. Servers bind all their sockets before they serve any,
 * so this tells that the others are bound too; and nobody else can answer there, as on a port.
 */
export function answersOn(path: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (answers: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answers);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    socket.on("error", () => end(false));
    socket.on("close", () => end(false));
    socket.on("connect", () => socket.write("GET /__health HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    socket.on("data", (chunk: Buffer) => end(chunk.toString("latin1").startsWith("HTTP/1.1 200")));
  });
}
