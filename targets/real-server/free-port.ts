import { type AddressInfo, createServer } from "node:net";
import { Failure } from "./failure.ts";

/**
 * A port that nobody listens on now. Somebody else may take it before it is used: whoever uses it must be ready to ask
 * for another.
 *
 * @throws Failure when the address is none of this machine's.
 */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new Failure(`Cannot listen on ${host}: ${error.message}`)));
    server.listen({ host, port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}
