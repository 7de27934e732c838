/**
 * The generator's thread. It sends load and does nothing else: drawing progress or writing files on the same thread would
 * show up as lateness. It is told to stop through shared memory, which reaches it also in the middle of a simulation.
 */

import { parentPort, workerData } from "node:worker_threads";
import type { PartHooks } from "./execute-trial.ts";
import { loadOrSay } from "./load-error.ts";
import { occasionally } from "./occasionally.ts";
import { type GoMessage, STOP_FLAG, type WorkerInput, type WorkerMessage } from "./worker-messages.ts";

async function work(
  { spec, shard, control }: WorkerInput,
  post: (message: WorkerMessage) => void,
  go: () => Promise<GoMessage>,
): Promise<void> {
  const words = new Int32Array(control);
  const hooks: PartHooks = {
    stopRequested: () => Atomics.load(words, STOP_FLAG) !== 0,
    progress: occasionally((progress) => post({ kind: "progress", progress })),
    async aboutToStart() {
      const told = go();
      post({ kind: "ready" });
      return (await told).startMs;
    },
    measuring: () => post({ kind: "measuring" }),
    gained: (gain) => post({ kind: "gained", gain }),
    // At once: the other workers of the trial look there.
    aborted: () => Atomics.store(words, STOP_FLAG, 1),
  };
  try {
    // Here and not at the top: a thread that cannot be loaded has to be able to say so.
    const { executePart } = await loadOrSay("a thread of the generator", () => import("./execute-trial.ts"));
    post({ kind: "part", part: await executePart(spec, shard, hooks) });
  } catch (error) {
    const { name, message, stack } = error as Error;
    post({ kind: "error", name, message, stack: stack ?? "" });
  }
}

if (parentPort !== null) {
  const port = parentPort;
  const go = (): Promise<GoMessage> => new Promise((resolve) => port.once("message", resolve));
  await work(workerData as WorkerInput, (message) => port.postMessage(message), go);
}
