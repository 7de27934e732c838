/** What is shown while something runs: a screen that is redrawn on a terminal, else a plain line every few seconds. */

import { clearInterval, setInterval } from "node:timers";
import type { LiveTrial } from "../../engine/live-trial.ts";
import type { TrialProgress } from "../../engine/trial-spec.ts";
import type { Result, TrialResult } from "../../result/schema.ts";
import type { Host } from "../host.ts";
import { withoutControls } from "./cut-text.ts";
import { LiveExperiment, type LiveLayout } from "./live-experiment.ts";
import { OraScreen, type Screen } from "./live-screen.ts";
import { liveLine, liveRows, rowText } from "./live-text.ts";
import { type Paint, painter } from "./paint.ts";

export interface Progress {
  /** What is to come, as far as it is known. @param kept trials that ended before this run. */
  planned(layout: LiveLayout, kept: readonly TrialResult[]): void;
  /**
   * Something begins that has a name; what was shown before is done.
   *
   * @param trial what is known of it by the second, if it is a trial in real time.
   */
  begin(label: string, durationSeconds: number, trial?: LiveTrial): void;
  update(progress: TrialProgress): void;
  /** The same for simulations, whose time is not that of whoever waits for them. */
  simulated(text: string): void;
  /** Trials have ended: what came of all so far. */
  ended(result: Result): void;
  /** A remark that stays on the screen. */
  note(text: string): void;
  /** The same for what goes well and is worth watching: who asked for quiet is not told. */
  told(text: string): void;
  /** Nothing goes on any more. */
  end(): void;
}

export interface ProgressPorts {
  /** A clock that does not go back. */
  readonly nowMs: () => number;
  /** Calls `run` again and again. @returns a function that ends it. */
  readonly every: (periodMs: number, run: () => void) => () => void;
  /** Where there is a terminal. */
  readonly openScreen: (paint: Paint) => Screen;
}

const REAL_PORTS: ProgressPorts = {
  nowMs: () => performance.now(),
  every(periodMs, run) {
    const timer = setInterval(run, periodMs);
    return () => clearInterval(timer);
  },
  openScreen: (paint) => new OraScreen((frame) => paint("alive", frame)),
};

const LINE_EVERY_SECONDS = 5;
const DRAW_EVERY_MS = 250;

/** @param quiet show notes only. */
export function createProgress(host: Host, quiet: boolean, ports: Partial<ProgressPorts> = {}): Progress {
  const all = { ...REAL_PORTS, ...ports };
  if (quiet) return new QuietProgress(host);
  return canRedraw(host) ? new ScreenProgress(host, all) : new LineProgress(host, all.nowMs);
}

/**
 * ora redraws by counting lines, which never ends on a terminal that does not know its width. What a build server calls a
 * terminal keeps all that was ever drawn on it.
 */
function canRedraw({ stderr, env }: Host): boolean {
  const isBuildServer = env.CI !== undefined && env.CI !== "" && env.CI !== "false";
  return stderr.isTTY && stderr.columns !== undefined && env.TERM !== "dumb" && !isBuildServer;
}

class QuietProgress implements Progress {
  readonly #host: Host;
  constructor(host: Host) {
    this.#host = host;
  }
  planned(): void {}
  begin(): void {}
  update(): void {}
  simulated(): void {}
  ended(): void {}
  note(text: string): void {
    this.#host.stderr.write(`${noteText(text)}\n`);
  }
  told(): void {}
  end(): void {}
}

class ScreenProgress implements Progress {
  readonly #host: Host;
  readonly #live: LiveExperiment;
  readonly #paint: Paint;
  readonly #ports: ProgressPorts;
  #screen: Screen | undefined;
  #stopDrawing: () => void = () => {};

  constructor(host: Host, ports: ProgressPorts) {
    this.#host = host;
    this.#live = new LiveExperiment(ports.nowMs);
    this.#paint = painter(host.env);
    this.#ports = ports;
  }

  planned(layout: LiveLayout, kept: readonly TrialResult[]): void {
    this.#live.planned(layout, kept);
  }

  begin(label: string, durationSeconds: number, trial?: LiveTrial): void {
    this.#live.begin(label, durationSeconds, trial);
    if (this.#screen !== undefined) return;
    this.#screen = this.#ports.openScreen(this.#paint);
    this.#stopDrawing = this.#ports.every(DRAW_EVERY_MS, () => this.#draw());
    this.#draw();
  }

  update(progress: TrialProgress): void {
    this.#live.update(progress);
  }

  simulated(text: string): void {
    this.#live.simulated(text);
  }

  ended(result: Result): void {
    this.#live.ended(result);
  }

  /** ora puts what is written while it draws above its lines. */
  note(text: string): void {
    this.#host.stderr.write(`${noteText(text)}\n`);
  }

  told(text: string): void {
    this.note(text);
  }

  end(): void {
    this.#stopDrawing();
    this.#screen?.close();
    this.#screen = undefined;
    this.#live.end();
  }

  #draw(): void {
    const screen = this.#screen;
    if (screen === undefined) return;
    const { columns, rows } = screen.size;
    screen.draw(liveRows(this.#live, columns, rows).map((row) => rowText(row, this.#paint)));
  }
}

class LineProgress implements Progress {
  readonly #host: Host;
  readonly #nowMs: () => number;
  readonly #live: LiveExperiment;
  #nextSeconds = LINE_EVERY_SECONDS;
  /** When the last line was written. */
  #writtenMs = 0;

  constructor(host: Host, nowMs: () => number) {
    this.#host = host;
    this.#nowMs = nowMs;
    this.#live = new LiveExperiment(nowMs);
  }

  planned(layout: LiveLayout, kept: readonly TrialResult[]): void {
    this.#live.planned(layout, kept);
  }

  begin(label: string, durationSeconds: number, trial?: LiveTrial): void {
    this.#live.begin(label, durationSeconds, trial);
    this.#nextSeconds = LINE_EVERY_SECONDS;
    this.#writtenMs = this.#nowMs();
    this.#write(label);
  }

  update(progress: TrialProgress): void {
    this.#live.update(progress);
    if (progress.elapsedSeconds < this.#nextSeconds) return;
    while (this.#nextSeconds <= progress.elapsedSeconds) this.#nextSeconds += LINE_EVERY_SECONDS;
    this.#write(liveLine(this.#live));
  }

  simulated(text: string): void {
    this.#live.simulated(text);
    const nowMs = this.#nowMs();
    if (nowMs - this.#writtenMs < 1000 * LINE_EVERY_SECONDS) return;
    this.#writtenMs = nowMs;
    this.#write(liveLine(this.#live));
  }

  ended(result: Result): void {
    this.#live.ended(result);
  }

  note(text: string): void {
    this.#host.stderr.write(`${noteText(text)}\n`);
  }

  told(text: string): void {
    this.note(text);
  }

  end(): void {
    this.#live.end();
  }

  #write(line: string): void {
    this.#host.stderr.write(`${withoutControls(line)}\n`);
  }
}

/** What servers and policies say may stand in it: its lines are kept, other control characters are not. */
function noteText(text: string): string {
  return text.split("\n").map(withoutControls).join("\n");
}
