/** What executes trials for a pool, one after another: a thread of its own, or, where none can be loaded, this one. */

import { Worker } from "node:worker_threads";
import type { TrialProgress, TrialSpec } from "../engine/trial-spec.ts";
import type { TrialResult } from "../result/schema.ts";
import { executeTrial } from "./execute-trial.ts";
import { loadsTypescript } from "./runtime.ts";
import type { TrialMessage, TrialThreadInput, TrialThreadMessage } from "./trial-messages.ts";
import { STOP_FLAG } from "./worker-messages.ts";

export interface TrialThread {
  /** Resolves when a trial can begin at once; rejects when none ever can. */
  readonly ready: Promise<void>;
  /** One trial at a time. Rejects with the error of the trial. */
  execute(spec: TrialSpec, progress: (progress: TrialProgress) => void): Promise<TrialResult>;
  /** Ends it at once, and what it is doing with it. */
  dismiss(): void;
}

/** The entry beside this file: source under Bun and Deno, compiled under Node. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./trial-thread-entry.ts" : "./trial-thread-entry.js",
  import.meta.url,
);

/** A thread knows nothing of what a test runner translates for this one. */
const IS_LOADABLE = loadsTypescript() || ENTRY.href.endsWith(".js");

/** @param control see {@link STOP_FLAG}. */
export function hireThread(control: SharedArrayBuffer): TrialThread {
  return IS_LOADABLE ? new OwnThread(control) : thisThread(control);
}

class OwnThread implements TrialThread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  #isReady: () => void = () => {};
  #progress: (progress: TrialProgress) => void = () => {};
  #ended: (trial: TrialResult) => void = () => {};
  /** Of what is being waited for: its loading, or a trial. */
  #failed: (error: Error) => void = () => {};

  constructor(control: SharedArrayBuffer) {
    this.#worker = new Worker(ENTRY, { workerData: { control } satisfies TrialThreadInput });
    this.#worker.on("message", (message: TrialThreadMessage) => this.#hear(message));
    this.#worker.on("error", (error) => this.#failed(error as Error));
    this.#worker.on("messageerror", (error) => this.#failed(error));
    this.#worker.on("exit", (code) => {
      this.#failed(new Error(`A thread of the simulation ended early with code ${code}`));
    });
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#failed = reject;
    });
  }

  execute(spec: TrialSpec, progress: (progress: TrialProgress) => void): Promise<TrialResult> {
    this.#progress = progress;
    const trial = new Promise<TrialResult>((resolve, reject) => {
      this.#ended = resolve;
      this.#failed = reject;
    });
    this.#worker.postMessage({ spec } satisfies TrialMessage);
    return trial;
  }

  dismiss(): void {
    this.#failed = () => {};
    void this.#worker.terminate();
  }

  #hear(message: TrialThreadMessage) {
    switch (message.kind) {
      case "ready":
        this.#isReady();
        return;
      case "progress":
        this.#progress(message.progress);
        return;
      case "trial":
        this.#ended(message.trial);
        return;
      case "error":
        this.#failed(Object.assign(new Error(message.message), { name: message.name, stack: message.stack }));
        return;
      default:
        return message satisfies never;
    }
  }
}

/** @param control see {@link STOP_FLAG}. */
export function thisThread(control: SharedArrayBuffer): TrialThread {
  const words = new Int32Array(control);
  return {
    ready: Promise.resolve(),
    async execute(spec, progress) {
      // A trial that is executed here lets nobody else in, so between two of them whoever wants to stop them must be heard.
      await new Promise((resolve) => setImmediate(resolve));
      return await executeTrial(spec, { stopRequested: () => Atomics.load(words, STOP_FLAG) !== 0, progress });
    },
    dismiss() {},
  };
}
