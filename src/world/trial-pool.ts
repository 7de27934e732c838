/**
 * Runs trials that depend on nothing but their specifications, so virtual ones, several at a time. A thread costs some tenths
 * of a second before it can begin: so each executes trial after trial.
 */

import { availableParallelism } from "node:os";
import type { TrialProgress, TrialSpec } from "../engine/trial-spec.ts";
import type { TrialResult } from "../result/schema.ts";
import { hireThread, type TrialThread } from "./trial-thread.ts";
import { STOP_FLAG } from "./worker-messages.ts";

/** Each index is that of a trial's specification. */
export interface PoolOptions {
  /** Trials at a time. Default as many as processors. */
  readonly workers?: number;
  started?(index: number): void;
  progress?(index: number, progress: TrialProgress): void;
  /** The result waits for the answer; the next trial does not. An answer that is an error ends all. */
  ended?(index: number, trial: TrialResult): Promise<void> | void;
  /** The trial whose error `result` rejects with. */
  failed?(index: number): void;
}

export interface RunningTrials {
  /**
   * The trials in the order of their specifications, the same for any number of workers but for when they started. After
   * `stop()` those that had not begun are missing. Rejects with the first failure, which ends all others.
   */
  readonly result: Promise<TrialResult[]>;
  /** Ends the arrivals of the trials under way; they are then drained and given as far as they came. No other one begins. */
  stop(): void;
  /** Ends the threads at once; what they measured is lost. */
  kill(): void;
}

/** As many trials at a time as this machine has processors for. */
export function defaultWorkers(): number {
  return availableParallelism();
}

/**
 * @param hire makes what executes trials, given the control words: see {@link STOP_FLAG}.
 * @throws RangeError when `workers` is not a positive whole number.
 */
export function startTrials(
  specs: readonly TrialSpec[],
  options: PoolOptions = {},
  hire: (control: SharedArrayBuffer) => TrialThread = hireThread,
): RunningTrials {
  const { workers = defaultWorkers() } = options;
  if (!Number.isSafeInteger(workers) || workers < 1) {
    throw new RangeError(`Cannot execute as 'workers' must be a positive whole number: current value is ${workers}`);
  }
  const pool = new Pool(specs, options, hire, workers);
  return { result: pool.result, stop: () => pool.stop(), kill: () => pool.kill() };
}

class Pool {
  readonly result: Promise<TrialResult[]>;
  readonly #specs: readonly TrialSpec[];
  readonly #options: PoolOptions;
  readonly #hire: (control: SharedArrayBuffer) => TrialThread;
  readonly #control = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #threads: Set<TrialThread> = new Set();
  readonly #trials: (TrialResult | undefined)[];
  readonly #answers: Promise<void>[] = [];
  #next = 0;
  /** Nothing further is to begin. */
  #over = false;
  #hasFailed = false;
  #fail: (error: Error) => void = () => {};

  constructor(
    specs: readonly TrialSpec[],
    options: PoolOptions,
    hire: (control: SharedArrayBuffer) => TrialThread,
    workers: number,
  ) {
    this.#specs = specs;
    this.#options = options;
    this.#hire = hire;
    this.#trials = specs.map(() => undefined);
    const failed = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    const work = Array.from({ length: Math.min(workers, specs.length) }, () => this.#work());
    this.result = Promise.race([this.#collect(work), failed]).finally(() => this.#end());
  }

  stop(): void {
    this.#over = true;
    Atomics.store(this.#control, STOP_FLAG, 1);
  }

  kill(): void {
    this.#fail(new Error("The threads of the simulation were ended"));
  }

  async #collect(work: readonly Promise<void>[]): Promise<TrialResult[]> {
    await Promise.all(work);
    await Promise.all(this.#answers);
    return this.#trials.filter((trial) => trial !== undefined);
  }

  /** One worker's part: a trial, and then the next one that nobody has begun. */
  async #work(): Promise<void> {
    let thread = this.#hired();
    await thread.ready;
    for (;;) {
      const index = this.#next;
      const spec = this.#specs[index];
      if (this.#over || spec === undefined) return;
      this.#next += 1;
      await this.#execute(thread, index, spec);
      if (spec.policy.module === undefined || this.#next >= this.#specs.length) continue;
      // What a module of the user's keeps outside its policies must not reach the next trial.
      this.#threads.delete(thread);
      thread.dismiss();
      thread = this.#hired();
      await thread.ready;
    }
  }

  async #execute(thread: TrialThread, index: number, spec: TrialSpec): Promise<void> {
    const { started, progress, ended, failed } = this.#options;
    started?.(index);
    let trial: TrialResult;
    try {
      trial = await thread.execute(spec, (seen) => progress?.(index, seen));
    } catch (error) {
      if (!this.#hasFailed) failed?.(index);
      this.#hasFailed = true;
      throw error;
    }
    this.#trials[index] = trial;
    const answer = Promise.resolve(ended?.(index, trial));
    answer.catch(this.#fail);
    this.#answers.push(answer);
  }

  #hired(): TrialThread {
    const thread = this.#hire(this.#control.buffer as SharedArrayBuffer);
    this.#threads.add(thread);
    return thread;
  }

  #end(): void {
    this.#over = true;
    for (const thread of this.#threads) thread.dismiss();
  }
}
