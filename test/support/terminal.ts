/** What a terminal shows: enough of ECMA-48 for a program that redraws a few lines, and nothing that it does not know. */

import { displayWidth } from "../../src/report/display-width.ts";

export class Terminal {
  #columns: number;
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  cursorVisible = true;
  /** Called when the terminal was told that a picture is complete. */
  onFrame: (terminal: Terminal) => void = () => {};
  /** The widest line that was ever written, in columns. */
  widest = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** All lines, also those that have scrolled away, without trailing spaces. */
  get text(): string {
    return this.#lines
      .map((line) =>
        Array.from(line, (character) => character ?? " ")
          .join("")
          .trimEnd(),
      )
      .join("\n")
      .trimEnd();
  }

  /** Lines that are too long now are broken, as most terminals do; the cursor stays behind the last character. */
  narrow(columns: number): void {
    this.#columns = columns;
    this.#lines = this.#lines.flatMap((line) => {
      const rows = Array.from({ length: Math.max(1, Math.ceil(line.length / columns)) }, (_, row) =>
        line.slice(row * columns, (row + 1) * columns),
      );
      return rows;
    });
    this.#row = this.#lines.length - 1;
    this.#column = this.#lines.at(-1)?.length ?? 0;
  }

  write(output: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what a terminal reads.
    for (const [token] of output.matchAll(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b.|[\s\S]/gu)) this.#take(token);
  }

  #take(token: string): void {
    if (token.startsWith("\u001b")) this.#escape(token);
    else if (token === "\r") this.#column = 0;
    else if (token === "\n") this.#down();
    else this.#put(token);
  }

  #put(character: string): void {
    const width = displayWidth(character);
    if (this.#column + width > this.#columns) {
      this.#column = 0;
      this.#down();
    }
    const line = this.#lines[this.#row] as string[];
    line[this.#column] = character;
    if (width === 2) line[this.#column + 1] = "";
    this.#column += width;
    this.widest = Math.max(this.widest, this.#column);
  }

  #down(): void {
    this.#row += 1;
    if (this.#row === this.#lines.length) this.#lines.push([]);
  }

  #escape(token: string): void {
    const [parameters, final] = [token.slice(2, -1), token.slice(-1)];
    // A count of zero is one, as on a real terminal.
    const count = Math.max(1, Number(parameters));
    switch (parameters.startsWith("?") ? parameters + final : final) {
      case "A":
        this.#row = Math.max(0, this.#row - count);
        return;
      case "G":
        this.#column = count - 1;
        return;
      case "K":
        this.#clearLine(parameters);
        return;
      case "J":
        this.#lines.splice(this.#row + 1);
        this.#clearLine(parameters);
        return;
      case "m":
        return;
      case "?25l":
        this.cursorVisible = false;
        return;
      case "?25h":
        this.cursorVisible = true;
        return;
      case "?2026h":
        return;
      case "?2026l":
        this.onFrame(this);
        return;
      default:
        throw new Error(`The terminal does not know ${JSON.stringify(token)}`);
    }
  }

  #clearLine(parameters: string): void {
    const line = this.#lines[this.#row] as string[];
    if (parameters === "1") {
      for (let column = 0; column <= this.#column; column += 1) line[column] = " ";
      return;
    }
    line.length = parameters === "2" ? 0 : Math.min(line.length, this.#column);
  }
}
