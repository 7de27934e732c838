/** A relay on loopback before a server: what comes back from it is passed on as a test says, bytes of TLS records and all. */

import net from "node:net";
import { rawServer, type TestServer } from "./servers.ts";

export interface Relay extends TestServer {
  /** The sides of open connections that clients see. */
  readonly toClients: ReadonlySet<net.Socket>;
}

export interface RelayOptions {
  /** Passes bytes of the server on. By default all at once. */
  readonly pass?: (client: net.Socket, bytes: Buffer) => void;
  /** The server has ended its side. By default the client's side ends too. */
  readonly ended?: (client: net.Socket) => void;
}

/** @param server what the relay stands before; its URL's scheme becomes the relay's own. */
export async function relayTo(server: TestServer, options: RelayOptions = {}): Promise<Relay> {
  const { pass = (client, bytes) => client.write(bytes), ended = (client) => client.end() } = options;
  const toClients = new Set<net.Socket>();
  const { protocol, port } = new URL(server.url);
  const behind = new Map<net.Socket, net.Socket>();
  const { url, close } = await rawServer((client, data) => behind.get(client)?.write(data, "latin1"), {
    sockets: toClients,
    onConnection(client) {
      client.setNoDelay(true);
      const back = net.connect({ host: "127.0.0.1", port: Number(port), noDelay: true });
      behind.set(client, back);
      back.on("error", () => client.destroy());
      back.on("data", (bytes) => pass(client, bytes));
      back.on("end", () => ended(client));
      client.on("close", () => back.destroy());
    },
  });
  return { url: url.replace("http:", protocol), close, toClients };
}

/** Passes bytes on one by one, each in a turn of the event loop of its own. */
export function oneByOne(): (client: net.Socket, bytes: Buffer) => void {
  let waiting: Promise<void> = Promise.resolve();
  return (client, bytes) => {
    const copy = Buffer.from(bytes);
    waiting = waiting.then(async () => {
      for (const byte of copy) {
        client.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  };
}
