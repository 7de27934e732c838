import type { Server } from "node:http";

/** Rounds before one step, at most: a storm of arrivals cannot hold the worker off for good. */
const ROUNDS_MAX = 1024;

/**
 * Gives the worker its turns: a step runs once a round of the event loop has brought no new connection and no request.
 *
 * One `setImmediate` would not do. Node (libuv since 1.45) takes in one new connection per round and Deno reads a few
 * sockets per round, so with one job per round the rest would wait in the kernel: a queue that has no bound, shows in no
 * counter and never rejects. Looking until a round is quiet brings every arrival before the next job, as the model has it.
 *
 * @returns a function that runs the given step in its turn. One step may wait at a time.
 */
export function turnsOf(server: Server): (step: () => void) => void {
  let arrivals = 0;
  let arrivalsSeen = 0;
  let rounds = 0;
  let waiting: (() => void) | undefined;

  const onArrival = (): void => {
    arrivals += 1;
  };
  server.on("connection", onArrival);
  server.on("request", onArrival);

  const look = (): void => {
    if (arrivals !== arrivalsSeen && rounds < ROUNDS_MAX) {
      arrivalsSeen = arrivals;
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
