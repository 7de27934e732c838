import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Workplace } from "../support/run-cli.ts";
import { programCommand } from "../support/run-program.ts";
import { Terminal } from "../support/terminal.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

/** The `script` of util-linux runs a program in a terminal of its own. */
const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

interface Session {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly terminal: Terminal;
  /** What was on the terminal each time it was told that a picture is complete. */
  readonly frames: readonly string[];
  output(): string;
  /** Resolves when a picture contains `text`. */
  shown(text: string): Promise<void>;
}

describe.skipIf(!hasTerminal)("in a terminal", { timeout: 60_000 }, () => {
  let workplace: Workplace;
  beforeEach(async () => {
    workplace = await Workplace.open();
  });
  afterEach(async () => {
    await workplace.close();
  });

  function start(columns: number, args: readonly string[], env: Readonly<Record<string, string>> = {}): Session {
    const { command, args: own } = programCommand("bin/overload-bench");
    const program = [command, ...own, ...args].map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["-qec", `stty cols ${columns} rows 40; exec ${program}`, "/dev/null"], {
      cwd: workplace.path,
      env: { ...process.env, TERM: "xterm-256color", CI: "", NO_COLOR: "", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const terminal = new Terminal(columns);
    const frames: string[] = [];
    const listeners = new Set<(frame: string) => void>();
    terminal.onFrame = ({ text }) => {
      frames.push(text);
      for (const listener of listeners) listener(text);
    };
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      terminal.write(chunk);
    });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const shown = (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        listeners.add((frame) => {
          if (frame.includes(text)) resolve();
        });
        void ended.then(() => reject(new Error(`The program ended without showing "${text}": ${output}`)));
      });
    return { child, ended, terminal, frames, output: () => output, shown };
  }

  const RUN = ["--rps", "50", "--duration", "3s", "--policy", "none"];

  it.each(IS_THOROUGH ? [80, 40] : [60])(
    "shows a trial of %i columns as it goes, and gives the terminal back",
    async (columns) => {
      const { ended, terminal, frames, output } = start(columns, RUN);
      const exitCode = await ended;
      expect([0, 4]).toContain(exitCode);
      expect(terminal.cursorVisible).toBe(true);
      const pictures = frames.map((frame) => frame.slice(frame.search(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] none/u)));
      expect(pictures.some((picture) => /none · [123]\/3 s/.test(picture))).toBe(true);
      expect(pictures.some((picture) => picture.includes("lateness p99"))).toBe(true);
      expect(pictures.some((picture) => picture.includes("so far"))).toBe(true);
      for (const line of pictures.flatMap((picture) => picture.split("\n"))) {
        expect(line.length).toBeLessThan(columns);
      }
      // The screen is gone, the result is there.
      expect(terminal.text).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u);
      expect(terminal.text).toContain("goodput");
      expect(output()).toContain("\u001b[");
    },
  );

  it("leaves a clean terminal behind Ctrl-C, once and twice", async () => {
    const { child, ended, terminal, shown } = start(80, ["--rps", "50", "--duration", "60s", "--policy", "none"]);
    await shown("lateness p99");
    child.stdin?.write("\u0003");
    await shown("Stopping");
    child.stdin?.write("\u0003");
    expect(await ended).toBe(130);
    expect(terminal.cursorVisible).toBe(true);
    expect(terminal.text).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u);
  });

  it.runIf(IS_THOROUGH).each<[string, Record<string, string>]>([
    ["TERM=dumb", { TERM: "dumb" }],
    ["CI=true", { CI: "true" }],
  ])("writes plain lines and no escape sequence with %s", async (_name, env) => {
    const { ended, output } = start(80, ["--rps", "50", "--duration", "6s", "--policy", "none"], env);
    await ended;
    expect(output()).not.toContain("\u001b");
    expect(output()).toMatch(/none {2}5\/6 s/);
  });

  it.runIf(IS_THOROUGH)("draws without colours with NO_COLOR", async () => {
    const { ended, output } = start(80, ["--rps", "50", "--duration", "1s", "--policy", "none"], { NO_COLOR: "1" });
    await ended;
    expect(output()).toContain("\u001b[?25l");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for.
    expect(output()).not.toMatch(/\u001b\[[\d;]*m/);
  });

  it.runIf(IS_THOROUGH)("says nothing on the terminal with -q but the result", async () => {
    const { ended, output, frames } = start(80, ["--rps", "50", "--duration", "1s", "--policy", "none", "-q"]);
    await ended;
    expect(frames).toHaveLength(0);
    expect(output()).not.toContain("\u001b");
  });
});
