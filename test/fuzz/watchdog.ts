/**
 * Ends the process when a case takes too long: a thread of its own looks whether the count of cases moves, for a loop without an
 * end leaves this one no turn to look. It prints the case first.
 */

import { Worker } from "node:worker_threads";
import type { FuzzCase } from "./fuzz-case.ts";

const STUCK_SECONDS = 20;
const BYTES_MAX = 1 << 17;
const COUNT = 0;
const LENGTH = 1;

const THREAD = `
const { workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const words = new Int32Array(workerData.words);
let last = -1;
setInterval(() => {
  const count = Atomics.load(words, ${COUNT});
  if (count === last) {
    const bytes = Buffer.from(workerData.bytes).subarray(0, words[${LENGTH}]);
    writeSync(2, "No end after ${STUCK_SECONDS} s, bytes in latin1: " + JSON.stringify(bytes.toString("latin1")) + "\\n");
    process.kill(process.pid, "SIGKILL");
  }
  last = count;
}, ${1000 * STUCK_SECONDS});
`;

export class Watchdog {
  readonly #words = new SharedArrayBuffer(8);
  readonly #bytes = new SharedArrayBuffer(BYTES_MAX);
  readonly #counts = new Int32Array(this.#words);
  readonly #copy = new Uint8Array(this.#bytes);
  readonly #thread: Worker;

  constructor() {
    this.#thread = new Worker(THREAD, { eval: true, workerData: { words: this.#words, bytes: this.#bytes } });
    this.#thread.unref();
  }

  /** A case begins. */
  begin({ bytes }: FuzzCase): void {
    this.#copy.set(bytes.subarray(0, BYTES_MAX));
    this.#counts[LENGTH] = Math.min(bytes.length, BYTES_MAX);
    Atomics.add(this.#counts, COUNT, 1);
  }

  async end(): Promise<void> {
    await this.#thread.terminate();
  }
}
