/** An attempt's own way to be aborted, beside its caller's signal. */

import { whenAborted } from "./abort-listeners.ts";

/** Keeps a controller while the body of its answer is read: the fetch itself may hold it by its signal only. */
const controllerOfBody: WeakMap<object, AbortController> = new WeakMap();

/** Takes a listener off its signal when the body for which it was kept is gone. */
const forgotten = new FinalizationRegistry<() => void>((unlink) => unlink());

/**
 * Aborts when the caller's signal does, or when {@link abort} is called. `AbortSignal.any` would do the same, but every
 * use of it leaves something behind at a signal that lives long (Node 20, Bun and Deno), and such a signal may see
 * millions of calls.
 */
export class AttemptSignal {
  private readonly controller = new AbortController();
  private readonly unlink: (() => void) | undefined;

  constructor(callers: AbortSignal | undefined) {
    if (callers === undefined) return;
    const controller = new WeakRef(this.controller);
    this.unlink = whenAborted(callers, () => controller.deref()?.abort(callers.reason));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: unknown): void {
    this.unlink?.();
    this.controller.abort(reason);
  }

  /** The attempt is over, and its answer nobody's. */
  release(): void {
    this.unlink?.();
  }

  /** The caller has the answer: its signal goes on to hold for the body. */
  releaseWith(body: object | null | undefined): void {
    const { unlink } = this;
    if (unlink === undefined) return;
    if (typeof body !== "object" || body === null) {
      unlink();
    } else {
      controllerOfBody.set(body, this.controller);
      forgotten.register(body, unlink);
    }
  }
}
