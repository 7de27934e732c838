/** What the server models have in common: an attempt gets its answer at a time, later or with a header if the script says so. */

import type { Scheduler } from "../../engine/ports.ts";
import type { BackendState, Timeline } from "../../plan/timeline.ts";
import type { Warmth } from "../../plan/warmth.ts";
import type { PendingAttempt } from "./pending-attempt.ts";

const ACCEPTED = 200;
const REJECTED = 503;

/** What {@link Server.serve} returns when the answer's time is not known yet. */
export const LATER = Number.POSITIVE_INFINITY;

/** Where answers go whose time was not known when the attempt arrived. */
export interface AnswerSink {
  /**
   * The answer to `attempt`, whose status and headers are filled, leaves the backend at `atSeconds`; not after now: at once. The
   * record is no longer the server's.
   */
  answered(attempt: PendingAttempt, atSeconds: number): void;
}

/** What a server is built on. */
export interface BackendPorts {
  /** What the script makes of this backend. */
  readonly timeline: Timeline;
  /** When the measured window begins: the script's zero. */
  readonly startSeconds: number;
  readonly scheduler: Scheduler;
  readonly sink: AnswerSink;
}

/** One backend. */
export interface Server {
  /**
   * An attempt arrives now.
   *
   * @returns when its answer leaves, whose status and headers are filled then; not after now: at once. {@link LATER}: the server
   *   tells the {@link AnswerSink} once, also when the client has given up meanwhile.
   */
  serve(attempt: PendingAttempt): number;
}

/** Never times out by itself: that is the client's doing. */
export abstract class AnsweringServer implements Server {
  protected readonly scheduler: Scheduler;
  readonly #sink: AnswerSink;
  protected readonly timeline: Timeline;
  protected readonly startSeconds: number;
  /** The state where the script changes nothing. */
  readonly #lasting: BackendState | undefined;
  readonly #latencySeconds: number;
  readonly #usualHeaders: readonly string[] | undefined;
  #scriptedSeconds = Number.NaN;
  #scriptedHeaders: readonly string[] | undefined;

  /**
   * @param latencySeconds added to every answer.
   * @param retryAfterSeconds what rejections say unless the script says otherwise.
   */
  constructor(ports: BackendPorts, latencySeconds: number, retryAfterSeconds?: number) {
    this.scheduler = ports.scheduler;
    this.#sink = ports.sink;
    this.timeline = ports.timeline;
    this.startSeconds = ports.startSeconds;
    this.#lasting = ports.timeline.times.length === 0 ? ports.timeline.at(0) : undefined;
    this.#latencySeconds = latencySeconds;
    this.#usualHeaders = retryAfterSeconds === undefined ? undefined : retryAfter(retryAfterSeconds);
  }

  abstract serve(attempt: PendingAttempt): number;

  /** How the script has this backend at a time of the trial. */
  protected stateAt(seconds: number): BackendState {
    return this.#lasting ?? this.timeline.at(seconds - this.startSeconds);
  }

  /** How many times as long a job takes that starts now. */
  protected costNow(warmth: Warmth): number {
    warmth.outagesOver(this.timeline.outagesOver(this.scheduler.now() - this.startSeconds));
    return warmth.cost;
  }

  /** @returns when the answer to work that is done at `readySeconds` leaves: the latency of that time comes on top. */
  protected accept(attempt: PendingAttempt, readySeconds: number): number {
    attempt.status = ACCEPTED;
    attempt.answerHeaders = undefined;
    return readySeconds + this.#latencySeconds + this.stateAt(readySeconds).addedSeconds;
  }

  /** The same for a rejection. */
  protected reject(attempt: PendingAttempt, readySeconds: number): number {
    const { addedSeconds, retryAfterSeconds } = this.stateAt(readySeconds);
    attempt.status = REJECTED;
    attempt.answerHeaders =
      retryAfterSeconds === undefined ? this.#usualHeaders : this.#scriptedHeadersOf(retryAfterSeconds);
    return readySeconds + this.#latencySeconds + addedSeconds;
  }

  /** The answer of an attempt for which {@link serve} returned {@link LATER} leaves at `atSeconds`. */
  protected answer(attempt: PendingAttempt, atSeconds: number): void {
    this.#sink.answered(attempt, atSeconds);
  }

  #scriptedHeadersOf(seconds: number): readonly string[] | undefined {
    if (seconds !== this.#scriptedSeconds) {
      this.#scriptedSeconds = seconds;
      this.#scriptedHeaders = retryAfter(seconds);
    }
    return this.#scriptedHeaders;
  }
}

function retryAfter(seconds: number): readonly string[] {
  return ["retry-after", String(seconds)];
}
