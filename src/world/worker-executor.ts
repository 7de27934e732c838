/** Executes trials in a thread of their own. */

import { Worker } from "node:worker_threads";
import type { TrialProgress, TrialSpec } from "../engine/trial-spec.ts";
import type { TrialResult } from "../result/schema.ts";
import { GO, STOP_FLAG, type WorkerInput, type WorkerMessage } from "./worker-messages.ts";

/** The entry beside this file: source under Bun and Deno, compiled under Node. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./worker-entry.ts" : "./worker-entry.js", import.meta.url);

export interface RunningTrial {
  /** The trial, also when it was stopped half-way. Rejects when the generator itself failed. */
  readonly result: Promise<TrialResult>;
  /** Ends the arrivals; the trial is then drained and given as far as it came. */
  stop(): void;
  /** Ends the thread at once; what it measured is lost. */
  kill(): void;
}

/**
 * Starts `spec` in a new thread.
 *
 * @param aboutToStart called when the generator is ready; the first arrival waits for it.
 */
export function startTrial(
  spec: TrialSpec,
  progress: (progress: TrialProgress) => void,
  aboutToStart: () => Promise<void>,
): RunningTrial {
  const control = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const words = new Int32Array(control);
  const worker = new Worker(ENTRY, { workerData: { spec, control } satisfies WorkerInput });
  let killed: (error: Error) => void = () => {};
  const result = new Promise<TrialResult>((resolve, reject) => {
    killed = reject;
    worker.on("message", (message: WorkerMessage) => {
      switch (message.kind) {
        case "ready":
          aboutToStart().then(() => worker.postMessage(GO), reject);
          return;
        case "progress":
          progress(message.progress);
          return;
        case "trial":
          resolve(message.trial);
          return;
        case "error":
          reject(Object.assign(new Error(message.message), { name: message.name, stack: message.stack }));
      }
    });
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new Error(`The generator's thread ended early with code ${code}`)));
  });
  const ended = result.finally(() => worker.terminate());
  return {
    result: ended,
    stop: () => {
      Atomics.store(words, STOP_FLAG, 1);
    },
    // Not left to the thread's `exit` event: Deno does not send one after `terminate`.
    kill: () => killed(new Error("The generator's thread was ended")),
  };
}
