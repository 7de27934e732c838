/** The backpressure governor drives the load of a trial, in place of a plan: see {@link ThrottleGovernor}. */

import type { GovernorLine } from "../governor/governor-line.ts";
import { type AttemptCounts, ThrottleGovernor } from "../governor/throttle-governor.ts";
import type { PlanSpec } from "../plan/plan.ts";
import type { Governed, GovernedWindowRow } from "../result/governor-schema.ts";
import type { AttemptClass, Call } from "./call.ts";
import type { CallSink, CallSource } from "./call-source.ts";
import { Fibres } from "./fibres.ts";
import type { GovernedCalls } from "./governed-calls.ts";
import { hasHeld } from "./governed-hold.ts";
import { offeredLaw } from "./governed-rules.ts";
import { OfferedArrivals } from "./offered-arrivals.ts";
import type { Scheduler, Task } from "./ports.ts";
import type { AttemptWatcher, Recorder } from "./recorder.ts";
import { SparseHistogram, sparseQuantileSeconds } from "./sparse-histogram.ts";
import type { GovernedGain } from "./trial-gain.ts";
import type { GovernorSpec } from "./trial-spec.ts";

/** What the recorder has counted so far. */
interface Counts extends AttemptCounts {
  readonly calls: number;
  readonly sent: number;
  readonly ok: number;
}

/**
 * Once a window it looks at the attempts that ended, and moves the offer: the rate of an open loop, or the fibres of a closed
 * one. The next window begins when this one was looked at: in a real world windows drift by what timers are late. It ends the
 * arrivals when the offer has held, see {@link hasHeld}.
 *
 * Attempts that failed on this side are neither successes nor failures, and local rejects are no attempts that were sent.
 */
export class GovernedLoad implements CallSource, AttemptWatcher, Task {
  readonly #spec: GovernorSpec;
  readonly #scheduler: Scheduler;
  readonly #recorder: Recorder;
  readonly #calls: GovernedCalls;
  readonly #service = new SparseHistogram();
  readonly #windows: GovernedWindowRow[] = [];
  readonly #events: Governed["events"] = [];
  #toldWindows = 0;
  #toldEvents = 0;
  #sink: CallSink | undefined;
  #governor: ThrottleGovernor | undefined;
  #nowSeconds = 0;
  #fromSeconds = 0;
  #counted: Counts = { calls: 0, sent: 0, successes: 0, failures: 0, ok: 0 };
  #held = false;

  /** @param plan that has passed {@link checkGoverned}. */
  constructor(spec: GovernorSpec, plan: PlanSpec, scheduler: Scheduler, recorder: Recorder) {
    this.#spec = spec;
    this.#scheduler = scheduler;
    this.#recorder = recorder;
    this.#calls = spec.control === "rate" ? new OfferedArrivals(offeredLaw(plan), scheduler) : new Fibres(scheduler);
    recorder.addWatcher(this);
  }

  /** Whether the arrivals ended because the offer had held. */
  get held(): boolean {
    return this.#held;
  }

  get windows(): readonly GovernedWindowRow[] {
    return this.#windows;
  }

  get events(): readonly Governed["events"][number][] {
    return this.#events;
  }

  start(sink: CallSink): void {
    this.#sink = sink;
    this.#nowSeconds = Math.max(0, this.#scheduler.now());
    this.#fromSeconds = this.#nowSeconds;
    this.#calls.start(sink);
    const { windowSeconds: window, ...options } = this.#spec;
    this.#governor = new ThrottleGovernor(
      { now: () => this.#nowSeconds },
      {
        committed: () => this.#calls.offer,
        commit: (offer) => this.#calls.setOffer(offer, this.#nowSeconds),
      },
      { ...options, window },
      (line) => this.#say(line),
    );
    this.#expectLook();
  }

  attemptEnded(call: Call, attemptClass: AttemptClass, nowSeconds: number): void {
    if (attemptClass !== "accepted" || call.startedSeconds < 0) return;
    this.#service.record(nowSeconds - call.startedSeconds);
  }

  callEnded(user: number, nowSeconds: number): void {
    this.#calls.callEnded(user, nowSeconds);
  }

  /** The last window may end with the arrivals. */
  arrivalsEnded(nowSeconds: number): void {
    if (!this.#held && nowSeconds >= this.#endOfWindow()) this.#look(nowSeconds);
  }

  run(): void {
    const sink = this.#sink as CallSink;
    if (!sink.arriving) return;
    this.#look(this.#scheduler.now());
    this.#held = hasHeld(this.#windows, this.#spec);
    if (this.#held) sink.endArrivals();
    else this.#expectLook();
  }

  /** What it did since this was last called; undefined: nothing. */
  takeGain(): GovernedGain | undefined {
    const windows = this.#windows.slice(this.#toldWindows);
    const events = this.#events.slice(this.#toldEvents);
    this.#toldWindows = this.#windows.length;
    this.#toldEvents = this.#events.length;
    return windows.length === 0 && events.length === 0 ? undefined : { windows, events };
  }

  #expectLook(): void {
    this.#scheduler.at(this.#endOfWindow(), this, "coarse");
  }

  /** The sum of two times may lie a rounding before the window is over. */
  #endOfWindow(): number {
    const from = this.#fromSeconds;
    const { windowSeconds } = this.#spec;
    let end = from + windowSeconds;
    while (end - from < windowSeconds) end *= 1 + Number.EPSILON;
    return end;
  }

  #look(nowSeconds: number): void {
    this.#nowSeconds = nowSeconds;
    const { offer } = this.#calls;
    const counts = this.#count();
    const before = this.#counted;
    const governor = this.#governor as ThrottleGovernor;
    const decision = governor.tick(counts);
    const service = this.#service.data();
    this.#windows.push({
      fromSeconds: this.#fromSeconds,
      toSeconds: nowSeconds,
      offer,
      calls: counts.calls - before.calls,
      sent: counts.sent - before.sent,
      successes: counts.successes - before.successes,
      failures: counts.failures - before.failures,
      ok: counts.ok - before.ok,
      decision: decision?.kind ?? "none",
      lastBad: governor.lastBad ?? null,
      p50Ms: toMs(sparseQuantileSeconds([service], 0.5)),
      p99Ms: toMs(sparseQuantileSeconds([service], 0.99)),
    });
    this.#service.clear();
    this.#counted = counts;
    this.#fromSeconds = nowSeconds;
  }

  #count(): Counts {
    const { planned, sent, classes, outcomes } = this.#recorder.measured;
    return {
      calls: planned,
      sent,
      successes: classes.accepted,
      failures: classes.overloaded + classes.failed,
      ok: outcomes.ok,
    };
  }

  #say({ level, event: { kind }, text }: GovernorLine): void {
    this.#events.push({ atSeconds: this.#nowSeconds, level, kind, text });
  }
}

function toMs(seconds: number | undefined): number | null {
  return seconds === undefined ? null : Math.round(seconds * 1e6) / 1e3;
}
