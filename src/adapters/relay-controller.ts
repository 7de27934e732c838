/** The controller that the handler above an interceptor gets: one for the call, whatever the attempt under way. */

import type { DispatchController } from "./undici-types.ts";

/** Stands for the controller of the attempt whose answer is handed over; until there is one, an abort is the call's. */
export class RelayController implements DispatchController {
  private readonly onAbort: (reason: Error) => void;
  private target: DispatchController | undefined;
  private isPaused = false;
  private abortReason: Error | null = null;

  /** @param onAbort called once, when there is no target yet. */
  constructor(onAbort: (reason: Error) => void) {
    this.onAbort = onAbort;
  }

  /** From now on the caller deals with this one. */
  aim(target: DispatchController): void {
    this.target = target;
    if (this.isPaused) target.pause();
  }

  get aborted(): boolean {
    return this.abortReason !== null || (this.target?.aborted ?? false);
  }

  get reason(): Error | null {
    return this.abortReason ?? this.target?.reason ?? null;
  }

  get paused(): boolean {
    return this.target?.paused ?? this.isPaused;
  }

  get rawHeaders(): unknown {
    return this.target?.rawHeaders;
  }

  set rawHeaders(headers: unknown) {
    if (this.target !== undefined) this.target.rawHeaders = headers;
  }

  get rawTrailers(): unknown {
    return this.target?.rawTrailers;
  }

  set rawTrailers(trailers: unknown) {
    if (this.target !== undefined) this.target.rawTrailers = trailers;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.abortReason = reason;
    if (this.target === undefined) this.onAbort(reason);
    else this.target.abort(reason);
  }

  pause(): void {
    this.isPaused = true;
    this.target?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.target?.resume();
  }
}
