/** The hook of one trial: begun and ended at the times of its trigger, and ended whatever becomes of the trial. */

import { clearTimeout, setTimeout } from "node:timers";
import { withReason } from "../../../engine/validity.ts";
import { withRecovery } from "../../../experiment/trial-recovery.ts";
import { formatDuration } from "../../../plan/units.ts";
import type { TrialRecovery } from "../../../result/recovery-schema.ts";
import type { Reason, TrialResult } from "../../../result/schema.ts";
import { POOLED_SECONDS } from "../../../stats/recovery-time.ts";
import { HOOK_SECONDS_MAX, type HookPhase, type HookShell } from "../../hook-shell.ts";
import type { BesideTrial } from "../../session/beside-trial.ts";
import { HookClock } from "./hook-clock.ts";

export interface TriggerHookOptions {
  readonly command: string;
  readonly trigger: Pick<TrialRecovery["trigger"], "kind" | "text">;
  /** When the trigger is to be, in seconds of the trial: with its warm-up. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly shell: HookShell;
  note(text: string): void;
  /** Called when the hook has failed, and there is no use in going on. */
  failed(): void;
}

/** When the hook was at work, in seconds of the trial. */
export interface HookSpan {
  /** The start of `CMD start` ... */
  readonly fromSeconds: number;
  /** ... and the end of `CMD end`: from then on the target has nothing to bear but the load. */
  readonly toSeconds: number;
}

export class TriggerHook implements BesideTrial {
  readonly #options: TriggerHookOptions;
  readonly #clock = new HookClock();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: "waiting" | "starting" | "on" | "ending" | "ended" | "left" = "waiting";
  #starting: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;
  #closed = false;
  #fromSeconds: number | undefined;
  #toSeconds: number | undefined;
  #fault: string | undefined;

  constructor(options: TriggerHookOptions) {
    this.#options = options;
  }

  progress(elapsedSeconds: number): void {
    if (this.#clock.heard(elapsedSeconds, nowSeconds())) this.#arm();
  }

  stop(): void {
    if (!this.#closed && this.#state === "starting") {
      this.#options.note(`Waiting for the hook's start, ${HOOK_SECONDS_MAX} s at most, before its end is run`);
    }
    this.#closed = true;
    clearTimeout(this.#timer);
    void this.#end();
  }

  async ended(): Promise<void> {
    this.stop();
    await this.#ending;
  }

  kill(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    // One that is at work already goes on by itself.
    if (this.#state !== "starting" && this.#state !== "on") return;
    this.#state = "left";
    this.#options.shell.leave(this.#options.command, "end");
  }

  /** Undefined where it did not come to its end, or is not known to have begun. */
  get span(): HookSpan | undefined {
    const started = this.#clock.startedSeconds;
    if (started === undefined || this.#fromSeconds === undefined || this.#toSeconds === undefined) return undefined;
    return { fromSeconds: Math.max(0, this.#fromSeconds - started), toSeconds: this.#toSeconds - started };
  }

  judged(trial: TrialResult): TrialResult {
    const { span } = this;
    const found = this.#reason(trial, span);
    const judged = found === undefined ? trial : { ...trial, validity: withReason(trial.validity, found) };
    if (span === undefined) return judged;
    const { command, trigger } = this.#options;
    const warmupSeconds = trial.warmup?.seconds ?? 0;
    const fromSeconds = span.fromSeconds - warmupSeconds;
    return withRecovery(judged, { ...trigger, fromSeconds, toSeconds: span.toSeconds - warmupSeconds, hook: command });
  }

  #reason(trial: TrialResult, span: HookSpan | undefined): Reason | undefined {
    if (this.#fault !== undefined) return invalid("hook-failed", this.#fault, 1, 0);
    if (trial.interrupted || trial.aborted !== undefined) return undefined;
    if (span === undefined) return invalid("hook-unseen", "The trial was over before the hook was run", 0, 1);
    const left = (trial.warmup?.seconds ?? 0) + trial.durationSeconds - span.toSeconds;
    if (left >= POOLED_SECONDS) return undefined;
    const when = left > 0 ? `only ${formatDuration(left)} before` : `${formatDuration(-left)} after`;
    return invalid("hook-late", `The hook's end was over ${when} the end of the trial`, left, POOLED_SECONDS);
  }

  /** Sets the alarm for what comes next. */
  #arm(): void {
    const started = this.#clock.startedSeconds;
    if (this.#closed || started === undefined) return;
    clearTimeout(this.#timer);
    const { fromSeconds, toSeconds } = this.#options;
    if (this.#state === "waiting") this.#at(started + fromSeconds, () => this.#start());
    else if (this.#state === "on") this.#at(started + toSeconds, () => void this.#end());
  }

  #at(seconds: number, work: () => void): void {
    this.#timer = setTimeout(work, 1000 * Math.max(0, seconds - nowSeconds()));
  }

  #start(): void {
    this.#state = "starting";
    this.#fromSeconds = nowSeconds();
    this.#starting = this.#run("start").then((isWell) => {
      if (this.#state === "starting") this.#state = "on";
      if (isWell) this.#arm();
      else void this.#end();
    });
  }

  /** Nothing where it has not begun. */
  #end(): Promise<void> {
    if (this.#state === "waiting") return Promise.resolve();
    this.#ending ??= this.#starting.then(async () => {
      if (this.#state === "left") return;
      this.#state = "ending";
      await this.#run("end");
      this.#state = "ended";
      this.#toSeconds = nowSeconds();
    });
    return this.#ending;
  }

  async #run(phase: HookPhase): Promise<boolean> {
    const { command, shell, note, failed } = this.#options;
    const why = await shell.run(command, phase, (line) => note(`hook ${phase}: ${line}`));
    if (why === undefined) return true;
    const rest = phase === "end" ? ": the target may still be disturbed" : "";
    note(`The hook's ${phase} ${why}${rest}`);
    this.#fault ??= `The hook's ${phase} ${why}`;
    failed();
    return false;
  }
}

function invalid(code: string, message: string, figure: number, limit: number): Reason {
  const hint =
    "Try the command by hand: it is run as `CMD start` and as `CMD end`, and must return once its work is done";
  return { code, severity: "invalid", message, figure, limit, hint };
}

function nowSeconds(): number {
  return performance.now() / 1000;
}
