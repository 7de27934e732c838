/** What the server models have in common: an attempt gets its answer at a time, unless it was given up before. */

import type { Call } from "../../engine/call.ts";
import type { AttemptSink, Scheduler, Task, Transport } from "../../engine/ports.ts";

export const ACCEPTED = 200;
export const REJECTED = 503;

/** Never times out by itself: that is the client's doing. */
export abstract class AnsweringServer implements Transport {
  protected readonly scheduler: Scheduler;
  readonly #sink: AttemptSink;

  constructor(scheduler: Scheduler, sink: AttemptSink) {
    this.scheduler = scheduler;
    this.#sink = sink;
  }

  abstract send(call: Call): void;

  /** The answer will go nowhere; the work, if there is any, is done all the same. */
  cancel(call: Call): void {
    call.lane = undefined;
  }

  /** @param atSeconds when the answer is there; not after now: at once. */
  protected answerAt(atSeconds: number, call: Call, status: number, headers?: readonly string[]): void {
    call.startedSeconds = call.handedSeconds;
    if (atSeconds <= this.scheduler.now()) {
      this.#answer(call, status, headers);
      return;
    }
    const answer: Task = {
      run: () => {
        if (call.lane !== answer) return;
        call.lane = undefined;
        this.#answer(call, status, headers);
      },
    };
    call.lane = answer;
    this.scheduler.at(atSeconds, answer, "exact");
  }

  #answer(call: Call, status: number, headers: readonly string[] | undefined): void {
    call.status = status;
    call.answerHeaders = headers;
    this.#sink.attemptEnded(call);
  }
}
