/**
 * The open loop: arrivals -> virtual user -> policy -> attempt -> record, written once for the real and the virtual world.
 * It walks the plan, whatever the backend does: a late or missing answer holds nothing up.
 */

import type { ArrivalCursor } from "../plan/arrivals.ts";
import type { Clock, Policy } from "../policy/policy.ts";
import { Call, type Outcome } from "./call.ts";
import { type Classifier, verdictOf } from "./classify.ts";
import { Deadlines } from "./deadlines.ts";
import type { AttemptSink, Scheduler, Task, Transport } from "./ports.ts";
import type { Recorder } from "./recorder.ts";

/** What the loop needs to know. Times in seconds. */
export interface OpenLoopOptions {
  /** The planned length of the arrivals: the trial ends then, plus the drain. */
  readonly durationSeconds: number;
  /** The time an attempt may take, from being handed to the transport. */
  readonly timeoutSeconds: number;
  /** How long to wait after the last arrival for calls under way; then they are `unfinished`. */
  readonly drainSeconds: number;
  /** Bound on the calls under way, waiting ones included. An arrival beyond it is `dropped`, and counted. */
  readonly maxInFlight: number;
}

/** Builds the policy of one user; called once a user, at its first call. The clock is the loop's own. */
export type UserPolicies = (user: number, clock: Clock) => Policy;

/** What becomes of a call after one of its attempts ended. */
type AfterAttempt = "ended" | "waiting" | "retry" | "resend";

export class OpenLoop implements AttemptSink {
  readonly #options: OpenLoopOptions;
  readonly #arrivals: ArrivalCursor;
  readonly #policies: UserPolicies;
  readonly #classifier: Classifier;
  readonly #scheduler: Scheduler;
  readonly #recorder: Recorder;
  readonly #deadlines: Deadlines;
  readonly #ended: () => void;
  #transport: Transport | undefined;

  /** Time of the event being handled: read once an event, so that policies cost no clock reads. */
  #nowSeconds = 0;
  readonly #policyClock: Clock = { now: () => this.#nowSeconds };
  readonly #users: (Policy | undefined)[] = [];
  readonly #pool: Call[] = [];
  readonly #live: Set<Call> = new Set();
  #inFlightMax = 0;
  #phase: "arriving" | "draining" | "done" = "arriving";
  #stopped = false;
  #arrivalsEndSeconds = 0;
  #doneSeconds = 0;

  readonly #arrivalTask: Task = { run: () => this.#arrive() };
  readonly #endTask: Task = { run: () => this.#endArrivals() };
  readonly #drainTask: Task = { run: () => this.#cutOff() };

  /** @param ended called once, when the last call has its outcome. */
  constructor(
    options: OpenLoopOptions,
    arrivals: ArrivalCursor,
    policies: UserPolicies,
    classifier: Classifier,
    scheduler: Scheduler,
    recorder: Recorder,
    ended: () => void,
  ) {
    this.#options = options;
    this.#arrivals = arrivals;
    this.#policies = policies;
    this.#classifier = classifier;
    this.#scheduler = scheduler;
    this.#recorder = recorder;
    this.#ended = ended;
    this.#deadlines = new Deadlines(scheduler, options.timeoutSeconds, (call) => this.#expire(call));
  }

  /** The most calls that were under way at once. */
  get inFlightMax(): number {
    return this.#inFlightMax;
  }

  /** Calls under way now. */
  get inFlight(): number {
    return this.#live.size;
  }

  /** When the arrivals ended: the planned duration, or when {@link stop} was called. */
  get arrivalsEndSeconds(): number {
    return this.#arrivalsEndSeconds;
  }

  /** When the last call got its outcome. */
  get doneSeconds(): number {
    return this.#doneSeconds;
  }

  /** True when {@link stop} cut the arrivals short. */
  get interrupted(): boolean {
    return this.#stopped;
  }

  /** True from the last outcome on. */
  get done(): boolean {
    return this.#phase === "done";
  }

  start(transport: Transport): void {
    this.#transport = transport;
    this.#scheduleArrival();
    // Arrivals lie before this in the schedule, also when the generator is late: none is lost.
    this.#scheduler.at(this.#options.durationSeconds, this.#endTask, "exact");
  }

  /** Ends the arrivals now and drains; the result is then a partial one. */
  stop(): void {
    if (this.#phase !== "arriving") return;
    this.#stopped = true;
    this.#endArrivals();
  }

  attemptEnded(call: Call): void {
    if (call.phase === "sending") {
      call.phase = "answered";
      return;
    }
    if (call.phase !== "inFlight") throw new Error(`An attempt ended of a call that is ${call.phase}`);
    this.#nowSeconds = this.#scheduler.now();
    this.#proceed(call, this.#settle(call));
  }

  #scheduleArrival(): void {
    if (this.#arrivals.next()) this.#scheduler.at(this.#arrivals.timeSeconds, this.#arrivalTask, "exact");
  }

  #arrive(): void {
    if (this.#phase !== "arriving") return;
    this.#nowSeconds = this.#scheduler.now();
    const call = this.#pool.pop() ?? new Call();
    call.user = this.#arrivals.user;
    call.intendedSeconds = this.#arrivals.timeSeconds;
    call.attempt = 0;
    call.resent = false;
    this.#scheduleArrival();
    this.#recorder.arrived(call);
    if (this.#live.size >= this.#options.maxInFlight) {
      this.#recorder.callEnded(call, "dropped", this.#nowSeconds);
      this.#pool.push(call);
      return;
    }
    call.policy = this.#policyOf(call.user);
    this.#live.add(call);
    if (this.#live.size > this.#inFlightMax) this.#inFlightMax = this.#live.size;
    this.#proceed(call, "retry");
  }

  #policyOf(user: number): Policy {
    let policy = this.#users[user];
    if (policy === undefined) {
      policy = this.#policies(user, this.#policyClock);
      this.#users[user] = policy;
    }
    return policy;
  }

  /** Takes the call as far as it goes without waiting. A loop, not a recursion: synchronous answers may be many. */
  #proceed(call: Call, from: AfterAttempt): void {
    let next = from;
    while (next === "retry" || next === "resend") {
      if (next === "retry") {
        const admission = (call.policy as Policy).admit(call);
        if (admission !== "send") {
          this.#end(call, admission);
          return;
        }
      }
      if (!this.#hand(call)) return;
      next = this.#settle(call);
    }
  }

  /** Hands the current attempt over. True when it has been answered already. */
  #hand(call: Call): boolean {
    call.phase = "sending";
    call.serial += 1;
    call.handedSeconds = this.#nowSeconds;
    call.startedSeconds = -1;
    call.status = 0;
    call.fault = "none";
    call.errorCode = "";
    this.#recorder.handed(call);
    (this.#transport as Transport).send(call);
    if ((call.phase as Call["phase"]) === "answered") return true;
    call.phase = "inFlight";
    this.#deadlines.watch(call);
    return false;
  }

  /** Records the attempt that ended and asks the policy what to do next. */
  #settle(call: Call): AfterAttempt {
    const attemptClass = this.#classifier.classOf(call);
    this.#recorder.attemptEnded(call, attemptClass, this.#nowSeconds);
    if (attemptClass === "staleConnection") {
      // The peer closed an idle connection (RFC 9112, 9.3.1): the request is sent again on a new one, outside the policy.
      call.resent = true;
      return "resend";
    }
    call.resent = false;
    call.delaySeconds = 0;
    const step = (call.policy as Policy).settle(call, verdictOf(attemptClass));
    if (step === "done") {
      this.#end(call, attemptClass === "accepted" && this.#classifier.isOk(call) ? "ok" : "failed");
      return "ended";
    }
    call.attempt += 1;
    if (!(call.delaySeconds > 0)) return "retry";
    call.phase = "waiting";
    const wake: Task = { run: () => this.#wake(call, wake) };
    call.lane = wake;
    this.#scheduler.at(this.#nowSeconds + call.delaySeconds, wake, "exact");
    return "waiting";
  }

  #wake(call: Call, wake: Task): void {
    if (call.phase !== "waiting" || call.lane !== wake) return;
    this.#nowSeconds = this.#scheduler.now();
    call.lane = undefined;
    this.#proceed(call, "retry");
  }

  #expire(call: Call): void {
    this.#nowSeconds = this.#scheduler.now();
    (this.#transport as Transport).cancel(call);
    call.status = 0;
    call.fault = "timeout";
    call.errorCode = "timeout";
    this.#proceed(call, this.#settle(call));
  }

  #end(call: Call, outcome: Outcome): void {
    this.#recorder.callEnded(call, outcome, this.#nowSeconds);
    call.phase = "idle";
    call.policy = undefined;
    call.lane = undefined;
    this.#live.delete(call);
    this.#pool.push(call);
    if (this.#phase === "draining" && this.#live.size === 0) this.#finish();
  }

  #endArrivals(): void {
    if (this.#phase !== "arriving") return;
    this.#nowSeconds = this.#scheduler.now();
    this.#phase = "draining";
    this.#arrivalsEndSeconds = this.#stopped ? this.#nowSeconds : this.#options.durationSeconds;
    if (this.#live.size === 0) {
      this.#finish();
      return;
    }
    this.#scheduler.at(this.#nowSeconds + this.#options.drainSeconds, this.#drainTask, "coarse");
  }

  /** The drain's bound has passed: what is still under way is `unfinished`, its age a lower bound. */
  #cutOff(): void {
    if (this.#phase !== "draining") return;
    this.#nowSeconds = this.#scheduler.now();
    this.#phase = "done";
    for (const call of this.#live) {
      if (call.phase === "inFlight") {
        this.#recorder.cutOff(call, this.#nowSeconds);
        (this.#transport as Transport).cancel(call);
      }
      this.#recorder.callEnded(call, "unfinished", this.#nowSeconds);
      call.phase = "idle";
    }
    this.#live.clear();
    this.#finish();
  }

  #finish(): void {
    this.#phase = "done";
    this.#doneSeconds = this.#nowSeconds;
    this.#ended();
  }
}
