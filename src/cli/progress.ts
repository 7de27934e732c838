/** What is shown while a trial runs: one line that is redrawn on a terminal, else a plain line every few seconds. */

import ora, { type Ora } from "ora";
import type { TrialProgress } from "../engine/trial-spec.ts";
import type { Host } from "./host.ts";

export interface Progress {
  /** Something begins that has a name; what was shown before is done. */
  begin(label: string, durationSeconds: number): void;
  update(progress: TrialProgress): void;
  /** The same for simulations, whose time is not that of whoever waits for them. */
  simulated(text: string): void;
  /** A remark that stays on the screen. */
  note(text: string): void;
  /** Nothing goes on any more. */
  end(): void;
}

const LINE_EVERY_SECONDS = 5;

/**
 * @param quiet show notes only.
 * @param nowMs a clock that does not go back.
 */
export function createProgress(host: Host, quiet: boolean, nowMs: () => number = () => performance.now()): Progress {
  if (quiet) return new QuietProgress(host);
  // ora redraws by counting lines, which never ends on a terminal that does not know its width.
  const canRedraw = host.stderr.isTTY && host.stderr.columns !== undefined;
  return canRedraw ? new SpinnerProgress(host) : new LineProgress(host, nowMs);
}

class QuietProgress implements Progress {
  readonly #host: Host;
  constructor(host: Host) {
    this.#host = host;
  }
  begin(): void {}
  update(): void {}
  simulated(): void {}
  note(text: string): void {
    this.#host.stderr.write(`${text}\n`);
  }
  end(): void {}
}

class SpinnerProgress implements Progress {
  readonly #host: Host;
  #spinner: Ora | undefined;
  #label = "";
  #durationSeconds = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  begin(label: string, durationSeconds: number): void {
    this.#label = label;
    this.#durationSeconds = durationSeconds;
    // ora must not swallow Ctrl-C: the program listens for it itself.
    this.#spinner ??= ora({ discardStdin: false, stream: process.stderr }).start();
    this.#show(label);
  }

  update(progress: TrialProgress): void {
    this.#show(`${this.#label}  ${describe(progress, this.#durationSeconds)}`);
  }

  simulated(text: string): void {
    this.#show(`${this.#label}  ${text}`);
  }

  note(text: string): void {
    if (this.#spinner === undefined) {
      this.#host.stderr.write(`${text}\n`);
      return;
    }
    this.#spinner.stopAndPersist({ symbol: " ", text });
    this.#spinner.start(this.#label);
  }

  end(): void {
    this.#spinner?.stop();
    this.#spinner = undefined;
  }

  #show(text: string): void {
    if (this.#spinner === undefined) return;
    const width = Math.max(20, (this.#host.stderr.columns ?? 80) - 4);
    this.#spinner.text = text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  }
}

class LineProgress implements Progress {
  readonly #host: Host;
  readonly #nowMs: () => number;
  #label = "";
  #durationSeconds = 0;
  #nextSeconds = LINE_EVERY_SECONDS;
  /** When the last line was written. */
  #writtenMs = 0;

  constructor(host: Host, nowMs: () => number) {
    this.#host = host;
    this.#nowMs = nowMs;
  }

  begin(label: string, durationSeconds: number): void {
    this.#label = label;
    this.#durationSeconds = durationSeconds;
    this.#nextSeconds = LINE_EVERY_SECONDS;
    this.#writtenMs = this.#nowMs();
    this.#host.stderr.write(`${label}\n`);
  }

  update(progress: TrialProgress): void {
    if (progress.elapsedSeconds < this.#nextSeconds) return;
    while (this.#nextSeconds <= progress.elapsedSeconds) this.#nextSeconds += LINE_EVERY_SECONDS;
    this.#host.stderr.write(`${this.#label}  ${describe(progress, this.#durationSeconds)}\n`);
  }

  simulated(text: string): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#writtenMs < 1000 * LINE_EVERY_SECONDS) return;
    this.#writtenMs = nowMs;
    this.#host.stderr.write(`${this.#label}  ${text}\n`);
  }

  note(text: string): void {
    this.#host.stderr.write(`${text}\n`);
  }

  end(): void {}
}

function describe(progress: TrialProgress, durationSeconds: number): string {
  const { elapsedSeconds, planned, ok, throttled, failed, inFlight, latenessP99Ms } = progress;
  const elapsed = Math.min(elapsedSeconds, durationSeconds);
  const parts = [
    `${elapsed.toFixed(0)}/${durationSeconds.toFixed(0)} s`,
    `${planned} calls`,
    `${ok} ok (${elapsed > 0 ? (ok / elapsed).toFixed(0) : 0}/s)`,
    `${throttled} throttled`,
    `${failed} failed`,
    `${inFlight} under way`,
    `lateness p99 ${latenessP99Ms.toFixed(1)} ms`,
  ];
  return parts.join(" · ");
}
