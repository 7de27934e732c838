/** A few lines at the bottom of a terminal that are redrawn in place, by ora; what is written besides stays above them. */

import process from "node:process";
import ora, { type Ora } from "ora";
import { displayWidth } from "../../report/display-width.ts";
import { withoutControls } from "./cut-text.ts";
import { FrameStream } from "./frame-stream.ts";

/** Lines that may be redrawn, each no wider than the terminal. */
export interface Screen {
  /** Columns and rows that there are now, for lines of text. */
  readonly size: { readonly columns: number; readonly rows: number };
  /** Replaces the lines. */
  draw(lines: readonly string[]): void;
  /** Takes the lines away and leaves the cursor where they were, visible. */
  close(): void;
}

/** Of a terminal that does not say. */
const COLUMNS = 80;
const ROWS = 24;
/** What the sign of life in front of the first line takes, so that the others are set in by as much. */
const INDENT = "  ";
/** Of two signals from the keyboard, behind the last line. */
const ECHO = "^C^C";
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
/** Lines are drawn when we say so, and never by ora's own clock: it knows nothing of a terminal that was resized. */
const NEVER_MS = 2 ** 31 - 1;

export class OraScreen implements Screen {
  readonly #terminal: NodeJS.WriteStream;
  readonly #stream: FrameStream;
  readonly #spinner: Ora;
  readonly #drawFrame: (frame: string) => string;
  #frame = 0;
  #drawn: readonly string[] = [];
  #drawnColumns = 0;

  /** @param drawFrame gives the sign of life its colour. */
  constructor(drawFrame: (frame: string) => string, terminal: NodeJS.WriteStream = process.stderr) {
    this.#drawFrame = drawFrame;
    this.#terminal = terminal;
    this.#stream = new FrameStream(terminal);
    this.#spinner = ora({
      // ora must not swallow Ctrl-C: the program listens for it itself.
      discardStdin: false,
      stream: this.#stream as never,
      // Whether there is a terminal to draw on has been decided.
      isEnabled: true,
      color: false as never,
    });
  }

  get size(): { readonly columns: number; readonly rows: number } {
    // A line that ends in the last column makes some terminals begin another one, and so does what they echo of Ctrl-C.
    const columns = Math.max(1, (this.#terminal.columns || COLUMNS) - INDENT.length - ECHO.length - 1);
    return { columns, rows: Math.max(1, (this.#terminal.rows || ROWS) - 1) };
  }

  draw(lines: readonly string[]): void {
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const frame = this.#drawFrame(FRAMES[this.#frame] as string);
    this.#spinner.spinner = { frames: [frame], interval: NEVER_MS };
    this.#spinner.text = lines.join(`\n${INDENT}`);
    if (this.#spinner.isSpinning) {
      this.#clearWrapped();
      this.#spinner.render();
    } else this.#spinner.start();
    this.#drawn = lines;
    this.#drawnColumns = this.#terminal.columns;
  }

  close(): void {
    this.#spinner.stop();
    this.#drawn = [];
  }

  /** A terminal that became narrower has broken the lines on it into more rows than ora remembers. */
  #clearWrapped(): void {
    const { columns } = this.#terminal;
    if (!(columns > 0 && columns < this.#drawnColumns)) return;
    const rows = this.#drawn.map((line) => Math.ceil((INDENT.length + displayWidth(withoutControls(line))) / columns));
    const extra = rows.reduce((sum, count) => sum + Math.max(1, count), 0) - this.#drawn.length;
    if (extra <= 0) return;
    // ora clears what it remembers when others write, and stands in the first line of that then.
    this.#stream.write(`\u001b[${extra}A\u001b[J\r`);
  }
}
