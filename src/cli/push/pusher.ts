/**
 * Pushes what is known of a trial while it runs. One request at a time, none sooner than a second after the one before; what
 * comes meanwhile replaces what waits, so that a slow endpoint costs a place for one sample and nothing else.
 */

import type { PushSample } from "../../report/push/metrics.ts";
import { OPENMETRICS_CONTENT_TYPE, renderOpenMetrics } from "../../report/push/openmetrics.ts";
import { OTLP_CONTENT_TYPE, renderOtlp } from "../../report/push/otlp.ts";
import type { PushEndpoint, PushFormat } from "../flags/push-options.ts";
import type { PushRequest } from "./push-request.ts";

export interface PusherPorts {
  /** See {@link sendPush}. */
  send(request: PushRequest): Promise<string | undefined>;
  /** Says something that stays on the screen. */
  note(text: string): void;
  /** A clock that does not go back. */
  nowMs(): number;
  /** Calls `run` later, unless the program ends before. @returns a function that takes it back. */
  later(delayMs: number, run: () => void): () => void;
}

/** Accounts come once a second: one that comes a little early is not one too many. */
const BETWEEN_MS = 900;
const TIMEOUT_MS = 2000;

const RENDERERS: Readonly<Record<PushFormat, { readonly type: string; render(sample: PushSample): string }>> = {
  otlp: { type: OTLP_CONTENT_TYPE, render: renderOtlp },
  openmetrics: { type: OPENMETRICS_CONTENT_TYPE, render: renderOpenMetrics },
};

export class Pusher {
  readonly #endpoint: PushEndpoint;
  readonly #ports: PusherPorts;
  #waiting: PushSample | undefined;
  #last: PushSample | undefined;
  #sending: Promise<void> | undefined;
  #sentMs = Number.NEGATIVE_INFINITY;
  /** Takes back what is to be sent later; undefined when nothing is. */
  #takeBack: (() => void) | undefined;
  #made = 0;
  #failed = 0;
  /** Failures since the last success; 0: reachable, as far as is known. */
  #failing = 0;

  constructor(endpoint: PushEndpoint, ports: PusherPorts) {
    this.#endpoint = endpoint;
    this.#ports = ports;
  }

  push(sample: PushSample): void {
    this.#waiting = sample;
    this.#last = sample;
    this.#next();
  }

  /**
   * The last sample once more, so that it is there whatever became of the ones before. Takes as long as two requests may at most.
   * Never rejects.
   */
  async finish(): Promise<void> {
    this.#takeBack?.();
    this.#waiting = undefined;
    await this.#sending;
    if (this.#last !== undefined) await this.#send(this.#last);
    if (this.#failed > 0) {
      this.#ports.note(`${this.#failed} of ${this.#made} pushes of metrics failed: the result is whole all the same`);
    }
  }

  #next(): void {
    if (this.#waiting === undefined || this.#sending !== undefined || this.#takeBack !== undefined) return;
    const waitMs = this.#sentMs + BETWEEN_MS - this.#ports.nowMs();
    if (waitMs > 0) {
      this.#takeBack = this.#ports.later(waitMs, () => {
        this.#takeBack = undefined;
        this.#next();
      });
      return;
    }
    const sample = this.#waiting;
    this.#waiting = undefined;
    this.#sending = this.#send(sample).finally(() => {
      this.#sending = undefined;
      this.#next();
    });
  }

  async #send(sample: PushSample): Promise<void> {
    const { url, method, format, headers } = this.#endpoint;
    const { type, render } = RENDERERS[format];
    this.#sentMs = this.#ports.nowMs();
    this.#made += 1;
    const body = rendered(render, sample);
    const why =
      "why" in body
        ? `cannot be told (${body.why})`
        : await this.#ports.send({
            url,
            method,
            headers: [["Content-Type", type], ...headers],
            body: body.text,
            timeoutMs: TIMEOUT_MS,
          });
    if (why === undefined) {
      if (this.#failing > 0)
        this.#ports.note(`The endpoint of --push takes metrics again, after ${this.#failing} failed pushes`);
      this.#failing = 0;
      return;
    }
    this.#failed += 1;
    this.#failing += 1;
    if (this.#failing === 1)
      this.#ports.note(`The endpoint of --push ${why}: the run goes on, and so do the attempts to reach it`);
  }
}

/** Nothing that a sample holds is to end the run. */
function rendered(
  render: (sample: PushSample) => string,
  sample: PushSample,
): { readonly text: string } | { readonly why: string } {
  try {
    return { text: render(sample) };
  } catch (error) {
    return { why: (error as Error).message };
  }
}
