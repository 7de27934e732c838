/** Appends lines to a journal, one write at a time, without ever holding up who hands them over. */

import { Buffer } from "node:buffer";
import { rmSync, writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { WrittenLine } from "./journal-schema.ts";
import { describeFault } from "./store-error.ts";

/** What may wait for a disk that takes nothing; beyond it the journal ends where it is. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/** The journal of one experiment. */
export interface Journal {
  readonly path: string;
  /** False when there are lines that could not be written; to be asked after {@link close}. */
  readonly isWhole: boolean;
  /** Never throws, and nothing waits for it. */
  append(line: WrittenLine): void;
  /** Writes at once what waits, for a process that is about to end. */
  flush(): void;
  /** Resolves when all that can be written is; no more lines are taken. */
  close(): Promise<void>;
  /** Removes it, before this returns where the system can, and closes it: its result has been saved. */
  remove(): Promise<void>;
}

/**
 * A line that could not be written waits for the next one, and is written where it belongs: what stands in the file is
 * whole but for its end.
 */
export class FileJournal implements Journal {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #failed: (why: string) => void;
  /** Bytes in the file that are known to be written. */
  #length = 0;
  #waiting: Buffer = Buffer.alloc(0);
  #writing: Promise<void> | undefined;
  #told = false;
  #closed = false;
  #gaveUp = false;

  /** @param failed is told once, when lines cannot be written. */
  constructor(path: string, file: FileHandle, failed: (why: string) => void) {
    this.path = path;
    this.#file = file;
    this.#failed = failed;
  }

  get isWhole(): boolean {
    return !this.#gaveUp && this.#waiting.length === 0;
  }

  append(line: WrittenLine): void {
    if (this.#closed || this.#gaveUp) return;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    if (this.#waiting.length + bytes.length > WAITING_BYTES_MAX) {
      this.#gaveUp = true;
      return;
    }
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  flush(): void {
    try {
      // Positions make it safe beside a write under way: both write the same bytes to the same place.
      for (let at = 0; at < this.#waiting.length; ) {
        at += writeSync(this.#file.fd, this.#waiting, at, this.#waiting.length - at, this.#length + at);
      }
    } catch (error) {
      this.#tell(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
    await this.#write();
    await this.#file.close().catch(() => undefined);
  }

  async remove(): Promise<void> {
    this.#closed = true;
    const removed = this.#unlink();
    await this.#writing;
    await this.#file.close().catch(() => undefined);
    // Not every system removes a file that is open.
    if (!removed) this.#unlink();
  }

  #unlink(): boolean {
    try {
      rmSync(this.path, { force: true });
      return true;
    } catch {
      return false;
    }
  }

  /** Writes what waits until nothing does, or something cannot be written. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const bytes = this.#waiting;
      try {
        const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, this.#length);
        this.#length += bytesWritten;
        this.#waiting = this.#waiting.subarray(bytesWritten);
        if (bytesWritten === 0) return;
      } catch (error) {
        this.#tell(error);
        return;
      }
    }
  }

  #tell(error: unknown): void {
    if (this.#told) return;
    this.#told = true;
    this.#failed(`'${this.path}' cannot be written: ${describeFault(error)}`);
  }
}
