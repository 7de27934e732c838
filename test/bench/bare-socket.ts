/** Sockets and nothing else: a closed loop that sends fixed bytes and looks at the status alone. The floor of a client in JavaScript. */

import net from "node:net";
import tls from "node:tls";

const READ_BYTES = 65_536;
const STATUS_AT = 9;
const TWO = 0x32;

/** One connection per call of `run`'s loop; each sends its next request when it has its answer. */
export class BareSockets {
  readonly #sockets: net.Socket[] = [];
  readonly #request: Buffer;
  #left = 0;
  #busy = 0;
  #done: () => void = () => {};

  constructor(url: URL, headers: readonly (readonly [string, string])[]) {
    const lines = [...headers, ["host", url.host], ["connection", "keep-alive"]].map(
      ([name, value]) => `${name}: ${value}`,
    );
    this.#request = Buffer.from([`GET ${url.pathname} HTTP/1.1`, ...lines, "", ""].join("\r\n"), "latin1");
  }

  async open(url: URL, count: number): Promise<void> {
    const buffer = Buffer.alloc(READ_BYTES);
    for (let opened = 0; opened < count; opened += 1) {
      const socket: net.Socket = connect(url, {
        buffer,
        callback: (_count, bytes) => {
          if (bytes[STATUS_AT] !== TWO) throw new Error("The answer is none of 2xx");
          this.#next(socket);
          return true;
        },
      });
      await new Promise<void>((resolve, reject) => {
        socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => resolve());
        socket.once("error", reject);
      });
      this.#sockets.push(socket);
    }
  }

  /** Sends `requests` in all. */
  async run(requests: number): Promise<void> {
    this.#left = requests;
    this.#busy = this.#sockets.length;
    await new Promise<void>((resolve) => {
      this.#done = resolve;
      for (const socket of this.#sockets) this.#next(socket);
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #next(socket: net.Socket): void {
    this.#left -= 1;
    if (this.#left >= 0) socket.write(this.#request);
    else {
      this.#busy -= 1;
      if (this.#busy === 0) this.#done();
    }
  }
}

function connect(url: URL, onread: net.OnReadOpts): net.Socket {
  const place = { host: url.hostname, port: Number(url.port), onread };
  if (url.protocol === "http:") return net.connect({ ...place, noDelay: true });
  return tls.connect({ ...place, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] } as tls.ConnectionOptions);
}
