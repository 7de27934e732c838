/** A world for tests of the loop: virtual time, and a transport that does what the test says. */

import type { Call } from "../../src/engine/call.ts";
import { Classifier, DEFAULT_OK_ON, DEFAULT_OVERLOADED_ON } from "../../src/engine/classify.ts";
import { OpenLoop, type OpenLoopOptions, type UserPolicies } from "../../src/engine/open-loop.ts";
import type { AttemptSink, Scheduler, Task, Transport } from "../../src/engine/ports.ts";
import { Recorder } from "../../src/engine/recorder.ts";
import { TaskQueue } from "../../src/engine/task-queue.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import { FixedRetry } from "../../src/policy/fixed-retry.ts";
import type { Fault } from "../../src/policy/policy.ts";

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
    const token = {};
    call.lane = token;
    const end = (): void => {
      if (call.lane !== token) return;
      call.lane = undefined;
      call.status = fate.status ?? 0;
      call.fault = fate.fault ?? "none";
      call.errorCode = fate.fault ?? "";
      this.#sink.attemptEnded(call);
    };
    if (fate.afterSeconds === 0) end();
    else this.#scheduler.at(this.#scheduler.now() + fate.afterSeconds, { run: end }, "exact");
  }

  cancel(call: Call): void {
    call.lane = undefined;
    this.cancelled += 1;
  }
}

/** A stretch of time in which the generator's thread does nothing: what falls due meanwhile runs when it is over. */
export interface Stall {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/** Virtual time with stalls. As in the real world, tasks keep the order of their times however late they are. */
class StallingQueue implements Scheduler {
  readonly #queue = new TaskQueue();
  readonly #stalls: readonly Stall[];
  #nowSeconds = 0;

  constructor(stalls: readonly Stall[]) {
    this.#stalls = stalls;
  }

  now(): number {
    return this.#nowSeconds;
  }

  at(timeSeconds: number, task: Task): void {
    this.#queue.push(timeSeconds, task);
  }

  /** False when there was no task to run. */
  runNext(): boolean {
    if (this.#queue.size === 0) return false;
    let dueSeconds = Math.max(this.#nowSeconds, this.#queue.nextSeconds);
    for (const { fromSeconds, toSeconds } of this.#stalls) {
      if (dueSeconds >= fromSeconds && dueSeconds < toSeconds) dueSeconds = toSeconds;
    }
    this.#nowSeconds = dueSeconds;
    this.#queue.pop().run();
    return true;
  }
}

export interface FakeRun {
  readonly plan?: Partial<PlanSpec> & { readonly rps?: number };
  readonly options?: Partial<OpenLoopOptions>;
  readonly policies?: UserPolicies;
  readonly fateOf: (call: Call, index: number) => Fate;
  readonly stalls?: readonly Stall[];
  /** Which of how many shards of the plan to walk; default: all of it. */
  readonly shard?: readonly [shard: number, shards: number];
  /** Called with the loop before each event. */
  readonly before?: (loop: OpenLoop, nowSeconds: number, recorder: Recorder) => void;
}

export interface FakeTrial {
  readonly loop: OpenLoop;
  readonly recorder: Recorder;
  readonly transport: ScriptedTransport;
  /** When the loop said that the measured window begins. */
  readonly measuringSeconds: readonly number[];
}

/** Runs the loop to its end. Default: 10 constant arrivals in a second by one user, up to three attempts. */
export function runFake(run: FakeRun): FakeTrial {
  const { rps = 10, ...change } = run.plan ?? {};
  const spec: PlanSpec = {
    seed: 1,
    arrival: { law: "constant", rate: { kind: "constant", rps } },
    warmupSeconds: 0,
    durationSeconds: 1,
    users: 1,
    ...change,
  };
  const { warmupSeconds, durationSeconds } = spec;
  const queue = new StallingQueue(run.stalls ?? []);
  const recorder = new Recorder(spec.users, warmupSeconds, durationSeconds, true);
  const measuringSeconds: number[] = [];
  let done = false;
  const loop = new OpenLoop(
    {
      warmupSeconds,
      durationSeconds,
      timeoutSeconds: 1,
      drainSeconds: 10,
      maxInFlight: 1000,
      late: { kind: "send" },
      ...run.options,
    },
    createPlan(spec).arrivals(...(run.shard ?? [])),
    run.policies ?? (() => new FixedRetry({ maxAttempts: 3 })),
    new Classifier(DEFAULT_OVERLOADED_ON, DEFAULT_OK_ON),
    queue,
    recorder,
    {
      measuring: () => measuringSeconds.push(queue.now()),
      ended() {
        done = true;
      },
    },
  );
  const transport = new ScriptedTransport(queue, loop, run.fateOf);
  loop.start(transport);
  while (!done) {
    run.before?.(loop, queue.now(), recorder);
    if (!done && !queue.runNext()) throw new Error("no events left, and the loop has not ended");
  }
  return { loop, recorder, transport, measuringSeconds };
}
