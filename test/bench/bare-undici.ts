/** Undici's `dispatch` and nothing else: what a request costs before the harness adds to it. */

import type { Dispatcher } from "undici/index.js";
import { Client } from "undici/index.js";
import type { ArrivalCursor } from "../../src/plan/arrivals.ts";

const REQUEST: Dispatcher.DispatchOptions = { path: "/", method: "GET", headers: [], body: null };
const OPTIONS: Client.Options = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };

/** More requests under way than this, each on a connection of its own, are a loop that does not keep up. */
const UNDER_WAY_MAX = 2_000;

/** One connection and the handler of its requests. */
class Connection implements Dispatcher.DispatchHandler {
  readonly client: Client;
  readonly #ended: (connection: Connection) => void;

  readonly #request: Dispatcher.DispatchOptions;

  constructor(origin: string, ended: (connection: Connection) => void, path = "/") {
    this.client = new Client(origin, OPTIONS);
    this.#request = { ...REQUEST, path };
    this.#ended = ended;
  }

  send(): void {
    this.client.dispatch(this.#request, this);
  }

  // The older form of a handler, which costs least: undici wraps the newer one, and parses the headers for it.
  onConnect(): void {}
  onHeaders(): boolean {
    return true;
  }
  onData(): boolean {
    return true;
  }
  onComplete(): void {
    this.#ended(this);
  }
  onError(error: Error): void {
    throw error;
  }
}

/** A closed loop: each connection sends its next request when it has its answer, `requests` in all. */
export async function runClosed(origin: string, connections: number, requests: number, path = "/"): Promise<void> {
  let left = requests;
  const one = async (): Promise<void> => {
    const connection = await new Promise<Connection>((resolve) => {
      const next = (current: Connection): void => {
        left -= 1;
        if (left >= 0) current.send();
        else resolve(current);
      };
      next(new Connection(origin, next, path));
    });
    await connection.client.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/**
 * An open loop: sends at each of `arrivals`, on timers, over as many connections as it takes.
 *
 * @returns the number of requests sent; NaN when it fell behind beyond recovery, as an unbounded loop does.
 */
export async function runOpen(origin: string, arrivals: ArrivalCursor): Promise<number> {
  const free: Connection[] = [];
  const all: Connection[] = [];
  let sent = 0;
  let answered = 0;
  let lost = false;
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
      if (sent - answered > UNDER_WAY_MAX) {
        lost = true;
        more = false;
      }
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
  return lost ? Number.NaN : sent;
}
