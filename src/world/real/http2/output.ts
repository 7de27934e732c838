/** What goes out on a connection: the frames of one turn in one piece, which costs one system call instead of many. */

import type { Socket } from "node:net";

/** Unsent bytes above which a connection takes no more: its peer has stopped reading. */
const UNSENT_BYTES_MAX = 1 << 18;

export class FrameOutput {
  readonly #drained: () => void;
  #socket: Socket | undefined;
  #frames: Buffer[] = [];
  #bytes = 0;

  /** @param drained called when the output can take more again after it was {@link stuffed}. */
  constructor(drained: () => void) {
    this.#drained = drained;
  }

  attach(socket: Socket): void {
    this.#socket = socket;
    socket.on("drain", () => this.#drained());
  }

  get stuffed(): boolean {
    return this.#bytes + (this.#socket?.writableLength ?? 0) > UNSENT_BYTES_MAX;
  }

  push(frames: Buffer): void {
    if (this.#frames.length === 0) queueMicrotask(() => this.flush());
    this.#frames.push(frames);
    this.#bytes += frames.length;
  }

  flush(): void {
    if (this.#frames.length === 0) return;
    const { stuffed } = this;
    const bytes = this.#frames.length === 1 ? (this.#frames[0] as Buffer) : Buffer.concat(this.#frames, this.#bytes);
    this.#frames = [];
    this.#bytes = 0;
    if (this.#socket === undefined || this.#socket.destroyed) return;
    this.#socket.write(bytes);
    if (stuffed && !this.stuffed) this.#drained();
  }
}
