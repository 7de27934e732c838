/** Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once. */

import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Host, StopSignal } from "../host.ts";

export class Interrupt {
  #signal: StopSignal | undefined;
  readonly #listeners: Set<() => void> = new Set();
  readonly #stopListening: () => void;

  /**
   * @param again called at the second signal: whoever is still working is to be ended at once.
   */
  constructor(host: Host, again: (exitCode: ExitCode) => void) {
    this.#stopListening = host.onSignal((signal) => {
      if (this.#signal !== undefined) {
        again(this.exitCode as ExitCode);
        return;
      }
      this.#signal = signal;
      for (const listener of this.#listeners) listener();
    });
  }

  get requested(): boolean {
    return this.#signal !== undefined;
  }

  /** The exit code that tells of the signal; undefined when there was none. */
  get exitCode(): ExitCode | undefined {
    if (this.#signal === undefined) return undefined;
    return this.#signal === "SIGINT" ? EXIT.sigint : EXIT.sigterm;
  }

  /** Calls `listener` at the first signal. @returns a function that takes it back. */
  onRequest(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stopListening();
  }
}
