/** Executes trials in threads of their own, one or several that share the users of a trial. */

import { Worker } from "node:worker_threads";
import { checkWorkers } from "../engine/shard.ts";
import { GainMerger, type TrialGain } from "../engine/trial-gain.ts";
import { mergeParts, type TrialPart } from "../engine/trial-part.ts";
import { trialRecord } from "../engine/trial-record.ts";
import type { TrialProgress, TrialSpec } from "../engine/trial-spec.ts";
import { labelOf } from "../plan/plan-label.ts";
import type { TrialResult } from "../result/schema.ts";
import { sharedMs } from "./real/monotonic.ts";
import { type GoMessage, STOP_FLAG, type WorkerInput, type WorkerMessage } from "./worker-messages.ts";

/** The entry beside this file: source under Bun and Deno, compiled under Node. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./worker-entry.ts" : "./worker-entry.js", import.meta.url);

/**
 * How far ahead the common start of several workers lies: time enough for the word to reach all. One that it reaches later
 * starts late, which its lateness shows.
 */
const LEAD_MS = 20;
/** Progress of several workers, which each report every 200 ms, is handed on at most this often. */
const SHOWN_MS = 100;

export interface RunningTrial {
  /** The trial, also when it was stopped half-way. Rejects when the generator itself failed. */
  readonly result: Promise<TrialResult>;
  /** Ends the arrivals; the trial is then drained and given as far as it came. */
  stop(): void;
  /** Ends the threads at once; what they measured is lost. */
  kill(): void;
}

/**
 * Starts `spec` in `spec.workers` new threads.
 *
 * @param aboutToStart called once, when the measured window is about to begin. Without a warm-up the first arrival waits
 *   for it; with one the load goes on meanwhile, and it is not called when the trial is stopped before.
 * @param gained called about once a second while a real trial runs, with what it gained since, over all workers.
 * @throws RangeError when the trial cannot be split over that many workers.
 */
export function startTrial(
  spec: TrialSpec,
  progress: (progress: TrialProgress) => void,
  aboutToStart: () => Promise<void>,
  gained: (gain: TrialGain) => void = () => {},
): RunningTrial {
  checkWorkers(spec);
  const crew = new Crew(spec, progress, aboutToStart, gained);
  return {
    result: crew.result,
    stop: () => crew.stop(),
    kill: () => crew.kill(),
  };
}

/** The workers of one trial: they start together, and when one fails the others end with it. */
class Crew {
  readonly result: Promise<TrialResult>;
  readonly #spec: TrialSpec;
  readonly #progress: (progress: TrialProgress) => void;
  readonly #aboutToStart: () => Promise<void>;
  readonly #gained: (gain: TrialGain) => void;
  readonly #gains: GainMerger;
  readonly #control: Int32Array;
  readonly #workers: Worker[] = [];
  readonly #seen: Map<number, TrialProgress> = new Map();
  #shownMs = 0;
  #ready = 0;
  /** The call of `aboutToStart`, once it has been made. */
  #watching: Promise<void> | undefined;
  #fail: (error: Error) => void = () => {};

  constructor(
    spec: TrialSpec,
    progress: (progress: TrialProgress) => void,
    aboutToStart: () => Promise<void>,
    gained: (gain: TrialGain) => void,
  ) {
    this.#spec = spec;
    this.#progress = progress;
    this.#aboutToStart = aboutToStart;
    this.#gained = gained;
    this.#gains = new GainMerger(spec.workers);
    this.#control = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const failed = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    const parts = Promise.all(Array.from({ length: spec.workers }, (_, shard) => this.#hire(shard)));
    this.result = Promise.race([this.#record(parts), failed]).finally(() => this.#dismiss());
  }

  stop(): void {
    Atomics.store(this.#control, STOP_FLAG, 1);
  }

  /** Not left to the threads' `exit` events: Deno does not send one after `terminate`. */
  kill(): void {
    this.#fail(new Error("The generator's thread was ended"));
  }

  async #record(parts: Promise<TrialPart[]>): Promise<TrialResult> {
    const part = mergeParts(await parts);
    this.#gains.rest().forEach(this.#gained);
    await this.#watching;
    return trialRecord(this.#spec, labelOf(this.#spec.plan), part);
  }

  #hire(shard: number): Promise<TrialPart> {
    const control = this.#control.buffer as SharedArrayBuffer;
    const worker = new Worker(ENTRY, { workerData: { spec: this.#spec, shard, control } satisfies WorkerInput });
    this.#workers.push(worker);
    return new Promise((resolve, reject) => {
      worker.on("message", (message: WorkerMessage) => {
        switch (message.kind) {
          case "ready":
            this.#count();
            return;
          case "measuring":
            this.#watch().catch(this.#fail);
            return;
          case "progress":
            this.#follow(shard, message.progress);
            return;
          case "gained":
            this.#gains.add(shard, message.gain).forEach(this.#gained);
            return;
          case "part":
            resolve(message.part);
            return;
          case "error":
            reject(Object.assign(new Error(message.message), { name: message.name, stack: message.stack }));
            return;
          default:
            return message satisfies never;
        }
      });
      worker.on("error", reject);
      worker.on("exit", (code) => reject(new Error(`The generator's thread ended early with code ${code}`)));
    });
  }

  #count(): void {
    this.#ready += 1;
    if (this.#ready < this.#workers.length) return;
    if (this.#spec.plan.warmupSeconds > 0) this.#go();
    else this.#watch().then(() => this.#go(), this.#fail);
  }

  #go(): void {
    const startMs = this.#workers.length === 1 ? undefined : sharedMs() + LEAD_MS;
    for (const worker of this.#workers) worker.postMessage({ startMs } satisfies GoMessage);
  }

  /** Every worker says when its measured window begins, all at the same moment: the first one is heard. */
  #watch(): Promise<void> {
    this.#watching ??= this.#aboutToStart();
    return this.#watching;
  }

  #follow(shard: number, seen: TrialProgress): void {
    this.#seen.set(shard, seen);
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < SHOWN_MS) return;
    this.#shownMs = nowMs;
    this.#progress([...this.#seen.values()].reduce(addProgress));
  }

  #dismiss(): void {
    for (const worker of this.#workers) void worker.terminate();
  }
}

function addProgress(sum: TrialProgress, part: TrialProgress): TrialProgress {
  return {
    elapsedSeconds: Math.max(sum.elapsedSeconds, part.elapsedSeconds),
    planned: sum.planned + part.planned,
    ok: sum.ok + part.ok,
    throttled: sum.throttled + part.throttled,
    failed: sum.failed + part.failed,
    attempts: sum.attempts + part.attempts,
    inFlight: sum.inFlight + part.inFlight,
    latenessP99Ms: Math.max(sum.latenessP99Ms, part.latenessP99Ms),
  };
}
