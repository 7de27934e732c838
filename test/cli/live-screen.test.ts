import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OraScreen } from "../../src/cli/live/live-screen.ts";
import { Terminal } from "../support/terminal.ts";

/** A terminal of `columns`, and the screen on it. */
function open(columns: number): {
  readonly terminal: Terminal;
  readonly stream: { columns: number; write(text: string): boolean };
  readonly writes: string[];
  readonly screen: OraScreen;
} {
  const terminal = new Terminal(columns);
  const writes: string[] = [];
  const stream = {
    isTTY: true,
    columns,
    rows: 24,
    write(text: string): boolean {
      writes.push(text);
      // As the line discipline of a terminal does.
      terminal.write(text.replaceAll("\n", "\r\n"));
      return true;
    },
    once() {},
    removeListener() {},
  };
  return { terminal, stream, writes, screen: new OraScreen((frame) => frame, stream as never) };
}

const withoutSpinner = (text: string): string => text.replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, "*");

describe("OraScreen", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("leaves room for its sign of life and for the last column", () => {
    expect(open(40).screen.size).toEqual({ columns: 33, rows: 23 });
  });

  it("draws lines in place, each picture in one write, and only when it is told to", () => {
    const { terminal, writes, screen } = open(40);
    screen.draw(["a", "bb", "ccc"]);
    const before = writes.length;
    screen.draw(["d", "ee"]);
    expect(writes).toHaveLength(before + 1);
    expect(withoutSpinner(terminal.text)).toBe("* d\n  ee");
    vi.advanceTimersByTime(60_000);
    expect(writes).toHaveLength(before + 1);
    screen.close();
  });

  it("hides the cursor while it draws and leaves nothing but the cursor", () => {
    const { terminal, screen } = open(40);
    screen.draw(["a", "b"]);
    expect(terminal.cursorVisible).toBe(false);
    screen.close();
    expect(terminal.cursorVisible).toBe(true);
    expect(terminal.text).toBe("");
  });

  it("can be closed before it has drawn, and twice", () => {
    const { terminal, screen } = open(40);
    screen.close();
    screen.draw(["a"]);
    screen.close();
    screen.close();
    expect(terminal.cursorVisible).toBe(true);
    expect(terminal.text).toBe("");
  });

  it("leaves no remains of itself on a terminal that was made narrower", () => {
    const { terminal, stream, screen } = open(40);
    screen.draw(["first line of thirty characters", "second line of thirty character", "third"]);
    terminal.narrow(20);
    stream.columns = 20;
    expect(terminal.text).toContain("first line of thir\n");
    for (let step = 0; step < 4; step += 1) {
      screen.draw(["first line of th…", "second line of t…", "third"]);
      vi.advanceTimersByTime(250);
    }
    expect(withoutSpinner(terminal.text)).toBe("* first line of th…\n  second line of t…\n  third");
    screen.close();
    expect(terminal.text).toBe("");
  });
});
