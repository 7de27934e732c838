/** Undici's `dispatch` and nothing else: what a request costs before the harness adds to it. */

import type { Dispatcher } from "undici/index.js";
import { Client } from "undici/index.js";
import type { ArrivalCursor } from "../../src/plan/arrivals.ts";

const REQUEST: Dispatcher.DispatchOptions = { path: "/", method: "GET", headers: [], body: null };
const OPTIONS: Client.Options = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };

/** One connection and the handler of its requests. */
class Connection implements Dispatcher.DispatchHandler {
  readonly client: Client;
  readonly #ended: (connection: Connection) => void;

  constructor(origin: string, ended: (connection: Connection) => void) {
    this.client = new Client(origin, OPTIONS);
    this.#ended = ended;
  }

  send(): void {
    this.client.dispatch(REQUEST, this);
  }

  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(): void {}
  onResponseEnd(): void {
    this.#ended(this);
  }
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    throw error;
  }
}

/** A closed loop: each connection sends its next request when it has its answer, `requests` in all. */
export async function runClosed(origin: string, connections: number, requests: number): Promise<void> {
  let left = requests;
  const one = async (): Promise<void> => {
    const connection = await new Promise<Connection>((resolve) => {
      const next = (current: Connection): void => {
        left -= 1;
        if (left >= 0) current.send();
        else resolve(current);
      };
      next(new Connection(origin, next));
    });
    await connection.client.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/**
 * An open loop: sends at each of `arrivals`, on timers, over as many connections as it takes.
 *
 * @returns the number of requests sent.
 */
export async function runOpen(origin: string, arrivals: ArrivalCursor): Promise<number> {
  const free: Connection[] = [];
  const all: Connection[] = [];
  let sent = 0;
  let answered = 0;
  let more = arrivals.next();
  await new Promise<void>((resolve) => {
    const ended = (connection: Connection): void => {
      free.push(connection);
      answered += 1;
      if (!more && answered === sent) resolve();
    };
    const add = (): Connection => {
      const connection = new Connection(origin, ended);
      all.push(connection);
      return connection;
    };
    const start = performance.now();
    const tick = (): void => {
      const now = (performance.now() - start) / 1000;
      while (more && arrivals.timeSeconds <= now) {
        sent += 1;
        (free.pop() ?? add()).send();
        more = arrivals.next();
      }
      if (more) setTimeout(tick, Math.max(0, Math.ceil((arrivals.timeSeconds - now) * 1000)));
    };
    tick();
  });
  await Promise.all(all.map(({ client }) => client.close()));
  return sent;
}
