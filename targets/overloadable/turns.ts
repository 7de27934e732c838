import type { Server } from "node:http";

/** Rounds before one step, at most: a storm of new connections cannot hold the worker off for good. */
const ROUNDS_MAX = 1024;

/**
 * Gives the worker its turns. A step runs after `setImmediate`, so what has arrived on open connections is read between
 * any two steps.
 *
 * New connections need more: Node (libuv since 1.45) takes in one of them per round of its event loop, so with one step
 * per round a burst would wait in the kernel, a queue that shows in no counter and never rejects. Rounds are therefore
 * added until one brings no new connection.
 *
 * @returns a function that runs the given step in its turn. One step may wait at a time.
 */
export function turnsOf(server: Server): (step: () => void) => void {
  let connections = 0;
  let connectionsSeen = 0;
  let rounds = 0;
  let waiting: (() => void) | undefined;

  server.on("connection", () => {
    connections += 1;
  });

  const look = (): void => {
    if (connections !== connectionsSeen && rounds < ROUNDS_MAX) {
      connectionsSeen = connections;
      rounds += 1;
      setImmediate(look);
      return;
    }
    rounds = 0;
    const step = waiting;
    waiting = undefined;
    step?.();
  };

  return (step) => {
    waiting = step;
    setImmediate(look);
  };
}
