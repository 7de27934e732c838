/** A terminal for ora: a picture reaches it in one write, however many pieces ora makes it of. Else a half of it may be seen. */

import { clearLine, cursorTo, moveCursor } from "node:readline";

/** Begin and end of a picture, for terminals that know of them: https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036 */
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

/** What ora needs of a stream. */
type Terminal = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows" | "write" | "once" | "removeListener">;

export class FrameStream {
  readonly isTTY = true;
  readonly #terminal: Terminal;
  /** What of a picture was written so far; undefined between pictures. */
  #frame: string | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  write(text: string): boolean {
    if (text === BEGIN) this.#frame = "";
    if (this.#frame === undefined) return this.#terminal.write(text);
    this.#frame += text;
    if (text !== END) return true;
    const frame = this.#frame;
    this.#frame = undefined;
    return this.#terminal.write(frame);
  }

  cursorTo(column: number): boolean {
    return cursorTo(this as never, column);
  }

  moveCursor(columns: number, rows: number): boolean {
    return moveCursor(this as never, columns, rows);
  }

  clearLine(direction: -1 | 0 | 1): boolean {
    return clearLine(this as never, direction);
  }

  once(event: string, listener: () => void): this {
    this.#terminal.once(event, listener);
    return this;
  }

  removeListener(event: string, listener: () => void): this {
    this.#terminal.removeListener(event, listener);
    return this;
  }
}
