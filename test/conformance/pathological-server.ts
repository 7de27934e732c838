/** A server that misbehaves as told, and keeps count of what it did. */

import net from "node:net";
import { avalanche } from "../../src/plan/avalanche.ts";
import { Exchange } from "./exchange.ts";
import { type Pathology, type PathologyName, pathologyOf } from "./pathologies.ts";
import { type RequestFacts, RequestReader } from "./request-reader.ts";
import { type Truth, TruthRecorder } from "./truth.ts";

export interface PathologicalServer {
  readonly port: number;
  /** Ends with a slash. */
  readonly url: string;
  /** What happened so far. */
  truth(): Promise<Truth>;
  close(): Promise<void>;
}

const BACKLOG = 4096;
const SEED = 1;

/**
 * Starts it in this thread, on a free port of the loopback interface.
 *
 * @param name of one of PATHOLOGIES. One with a standstill stands still only in a process of its own.
 * @param seed of its chances, which also depend on the number of the request and on nothing else.
 * @throws RangeError when there is no such pathology.
 */
export async function startPathological(name: PathologyName, seed: number = SEED): Promise<PathologicalServer> {
  const pathology = pathologyOf(name);
  const record = new TruthRecorder();
  const sockets = new Set<net.Socket>();
  // Half open: a FIN of this side's must not stop it from reading.
  const server = net.createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    new ServedConnection(socket, pathology, record, seed).start();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0, backlog: pathology.standstill?.backlog ?? BACKLOG }, resolve);
  });
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    truth: async () => record.truth(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A connection, whose requests are served one after the other, as HTTP/1.1 wants their answers. */
class ServedConnection {
  readonly #socket: net.Socket;
  readonly #pathology: Pathology;
  readonly #record: TruthRecorder;
  readonly #seed: number;
  readonly #reader = new RequestReader();
  readonly #waiting: Exchange[] = [];
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: net.Socket, pathology: Pathology, record: TruthRecorder, seed: number) {
    this.#socket = socket;
    this.#pathology = pathology;
    this.#record = record;
    this.#seed = seed;
  }

  start(): void {
    this.#record.connected();
    this.#waitIdle();
    this.#socket.on("error", () => {});
    this.#socket.on("data", (data) => this.#read(data.toString("latin1")));
    // No client here ends only its half.
    this.#socket.on("end", () => this.#socket.destroy());
    this.#socket.on("close", () => {
      this.#record.disconnected();
      clearTimeout(this.#idle);
      for (const exchange of [...this.#waiting]) exchange.leave();
    });
  }

  #read(data: string): void {
    clearTimeout(this.#idle);
    const nowMs = performance.now();
    for (const request of this.#reader.read(data)) this.#take(request, nowMs);
  }

  #take(request: RequestFacts, nowMs: number): void {
    const number = this.#record.requested(nowMs);
    const chances = [chanceOf(this.#seed, 2 * number), chanceOf(this.#seed, 2 * number + 1)] as const;
    const exchange = new Exchange(this.#socket, request, this.#record, nowMs, chances, () => this.#next(exchange));
    this.#waiting.push(exchange);
    if (this.#waiting.length === 1) this.#serve(exchange);
  }

  #serve(exchange: Exchange): void {
    // What comes in behind the end of the answers is read, and cannot be answered.
    if (this.#socket.writable) this.#pathology.serve(exchange);
    else exchange.finish();
  }

  #next(ended: Exchange): void {
    this.#waiting.splice(this.#waiting.indexOf(ended), 1);
    const next = this.#waiting[0];
    if (this.#socket.destroyed) return;
    if (next === undefined) this.#waitIdle();
    else this.#serve(next);
  }

  #waitIdle(): void {
    const { idleMs } = this.#pathology;
    if (idleMs !== undefined) this.#idle = setTimeout(() => this.#socket.destroy(), idleMs);
  }
}

/** In [0, 1). */
function chanceOf(seed: number, index: number): number {
  return (avalanche(avalanche(seed) + index) >>> 0) / 2 ** 32;
}
