/** A world for tests of the loop: virtual time, and a transport that does what the test says. */

import type { Call, Fault } from "../../src/engine/call.ts";
import { Classifier, DEFAULT_OK_ON, DEFAULT_OVERLOADED_ON } from "../../src/engine/classify.ts";
import { OpenLoop, type OpenLoopOptions, type UserPolicies } from "../../src/engine/open-loop.ts";
import type { AttemptSink, Scheduler, Transport } from "../../src/engine/ports.ts";
import { Recorder } from "../../src/engine/recorder.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import { FixedRetry } from "../../src/policy/fixed-retry.ts";
import { EventQueue } from "../../src/world/virtual/event-queue.ts";

/** What becomes of an attempt: an answer or a fault after a while, at once (0, within `send`), or never. */
export interface Fate {
  readonly status?: number;
  readonly fault?: Fault;
  readonly afterSeconds: number;
}

export const NEVER: Fate = { afterSeconds: Number.POSITIVE_INFINITY };

export class ScriptedTransport implements Transport {
  readonly #scheduler: Scheduler;
  readonly #sink: AttemptSink;
  readonly #fateOf: (call: Call, index: number) => Fate;
  readonly sent: { readonly user: number; readonly attempt: number; readonly atSeconds: number }[] = [];
  cancelled = 0;

  constructor(scheduler: Scheduler, sink: AttemptSink, fateOf: (call: Call, index: number) => Fate) {
    this.#scheduler = scheduler;
    this.#sink = sink;
    this.#fateOf = fateOf;
  }

  send(call: Call): void {
    const fate = this.#fateOf(call, this.sent.length);
    this.sent.push({ user: call.user, attempt: call.attempt, atSeconds: this.#scheduler.now() });
    call.startedSeconds = call.handedSeconds;
    if (fate.afterSeconds === Number.POSITIVE_INFINITY) return;
    const { serial } = call;
    const end = (): void => {
      if (call.serial !== serial || (call.phase !== "inFlight" && call.phase !== "sending")) return;
      call.status = fate.status ?? 0;
      call.fault = fate.fault ?? "none";
      call.errorCode = fate.fault ?? "";
      this.#sink.attemptEnded(call);
    };
    if (fate.afterSeconds === 0) end();
    else this.#scheduler.at(this.#scheduler.now() + fate.afterSeconds, { run: end }, "exact");
  }

  cancel(): void {
    this.cancelled += 1;
  }
}

export interface FakeRun {
  readonly plan?: Partial<PlanSpec> & { readonly rps?: number };
  readonly options?: Partial<OpenLoopOptions>;
  readonly policies?: UserPolicies;
  readonly fateOf: (call: Call, index: number) => Fate;
  /** Called with the loop before each event. */
  readonly before?: (loop: OpenLoop, nowSeconds: number) => void;
}

/** Runs the loop to its end. Default: 10 constant arrivals in a second by one user, up to three attempts. */
export function runFake(run: FakeRun): { loop: OpenLoop; recorder: Recorder; transport: ScriptedTransport } {
  const { rps = 10, ...change } = run.plan ?? {};
  const spec: PlanSpec = {
    seed: 1,
    arrival: { law: "constant", rate: { kind: "constant", rps } },
    warmupSeconds: 0,
    durationSeconds: 1,
    users: 1,
    ...change,
  };
  const events = new EventQueue();
  const recorder = new Recorder(spec.users, spec.durationSeconds);
  let done = false;
  const loop = new OpenLoop(
    { durationSeconds: spec.durationSeconds, timeoutSeconds: 1, drainSeconds: 10, maxInFlight: 1000, ...run.options },
    createPlan(spec).arrivals(),
    run.policies ?? (() => new FixedRetry({ maxAttempts: 3 })),
    new Classifier(DEFAULT_OVERLOADED_ON, DEFAULT_OK_ON),
    events,
    recorder,
    () => {
      done = true;
    },
  );
  const transport = new ScriptedTransport(events, loop, run.fateOf);
  loop.start(transport);
  while (!done) {
    run.before?.(loop, events.now());
    if (events.run(1, () => done) === 0 && !done) throw new Error("no events left, and the loop has not ended");
  }
  return { loop, recorder, transport };
}
