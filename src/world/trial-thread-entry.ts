/** A thread that executes trials, one after another, as they are sent to it. */

import { parentPort, workerData } from "node:worker_threads";
import type { TrialHooks } from "./execute-trial.ts";
import { loadOrSay } from "./load-error.ts";
import { occasionally } from "./occasionally.ts";
import type { TrialMessage, TrialThreadInput, TrialThreadMessage } from "./trial-messages.ts";
import { STOP_FLAG } from "./worker-messages.ts";

async function serve(
  { control }: TrialThreadInput,
  post: (message: TrialThreadMessage) => void,
  onTrial: (execute: (message: TrialMessage) => Promise<void>) => void,
): Promise<void> {
  const words = new Int32Array(control);
  const failed = (error: unknown): void => {
    const { name, message, stack } = error as Error;
    post({ kind: "error", name, message, stack: stack ?? "" });
  };
  try {
    const { executeTrial } = await loadOrSay("a thread of the simulation", () => import("./execute-trial.ts"));
    onTrial(async ({ spec }) => {
      const hooks: TrialHooks = {
        stopRequested: () => Atomics.load(words, STOP_FLAG) !== 0,
        progress: occasionally((progress) => post({ kind: "progress", progress })),
      };
      try {
        post({ kind: "trial", trial: await executeTrial(spec, hooks) });
      } catch (error) {
        failed(error);
      }
    });
    post({ kind: "ready" });
  } catch (error) {
    failed(error);
  }
}

if (parentPort !== null) {
  const port = parentPort;
  await serve(
    workerData as TrialThreadInput,
    (message) => port.postMessage(message),
    (execute) => port.on("message", (message: TrialMessage) => void execute(message)),
  );
}
