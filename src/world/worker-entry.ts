/**
 * The generator's thread. It sends load and does nothing else: drawing progress or writing files on the same thread would
 * show up as lateness. It is told to stop through shared memory, which reaches it also in the middle of a simulation.
 */

import { parentPort, workerData } from "node:worker_threads";
import type { TrialSpec } from "../engine/trial-spec.ts";
import { executeTrial } from "./execute-trial.ts";
import { STOP_FLAG, type WorkerInput, type WorkerMessage } from "./worker-messages.ts";

/** Progress goes out at most this often. */
const PROGRESS_MS = 200;

async function work(
  spec: TrialSpec,
  control: Int32Array,
  post: (message: WorkerMessage) => void,
  go: () => Promise<void>,
): Promise<void> {
  let postedMs = 0;
  try {
    const trial = await executeTrial(spec, {
      stopRequested: () => Atomics.load(control, STOP_FLAG) !== 0,
      progress(progress) {
        const nowMs = performance.now();
        if (nowMs - postedMs < PROGRESS_MS) return;
        postedMs = nowMs;
        post({ kind: "progress", progress });
      },
      async aboutToStart() {
        const told = go();
        post({ kind: "ready" });
        await told;
      },
    });
    post({ kind: "trial", trial });
  } catch (error) {
    const { name, message, stack } = error as Error;
    post({ kind: "error", name, message, stack: stack ?? "" });
  }
}

if (parentPort !== null) {
  const port = parentPort;
  const { spec, control } = workerData as WorkerInput;
  const go = (): Promise<void> => new Promise((resolve) => port.once("message", () => resolve()));
  await work(spec, new Int32Array(control), (message) => port.postMessage(message), go);
}
