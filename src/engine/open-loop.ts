/**
 * The open loop: arrivals -> virtual user -> policy -> attempt -> record, written once for the real and the virtual world.
 * It walks the plan, whatever the backend does: a late or missing answer holds nothing up.
 */

import type { ArrivalCursor } from "../plan/arrivals.ts";
import type { Clock, Criticality, Policy } from "../policy/policy.ts";
import { Call, type Outcome } from "./call.ts";
import type { CallSink, CallSource } from "./call-source.ts";
import { type Classifier, verdictOf } from "./classify.ts";
import { Deadlines } from "./deadlines.ts";
import { HedgeGroup } from "./hedge-group.ts";
import { lateBoundSeconds } from "./late.ts";
import type { AttemptSink, Scheduler, Task, Transport } from "./ports.ts";
import type { CutOffRecord, LoopRecord } from "./recorder.ts";
import type { Uptake } from "./tally.ts";
import type { LatePolicy } from "./trial-spec.ts";

/** What the loop needs to know. Times in seconds. */
export interface OpenLoopOptions {
  /** The measured window begins when the warm-up ends ... */
  readonly warmupSeconds: number;
  /** ... and with it end the arrivals; then comes the drain. */
  readonly durationSeconds: number;
  /** The time an attempt may take, from being handed to the transport. */
  readonly timeoutSeconds: number;
  /**
   * How long to go on after the arrivals' planned end: calls under way are `unfinished` then, and calls that this generator
   * has not come to by then are dropped.
   */
  readonly drainSeconds: number;
  /** Bound on the calls under way, waiting ones included. An arrival beyond it is `dropped`, and counted. */
  readonly maxInFlight: number;
  /** What becomes of an arrival that is taken up too late. */
  readonly late: LatePolicy;
  /** How much the next call of a user matters; asked once for each arrival. Undefined: all are CRITICAL. */
  readonly criticalityOf?: (user: number) => Criticality;
}

/** What the loop tells its world. */
export interface LoopEvents {
  /** The measured window begins. Not called when the loop is stopped before. */
  measuring(): void;
  /** No call comes any more: those under way come to their end. Called once, before `ended`. */
  arrivalsEnded?(): void;
  /** The last call has its outcome. Called once. */
  ended(): void;
}

/** Builds the policy of one user; called once a user, at its first call. The clock is the loop's own. */
export type UserPolicies = (user: number, clock: Clock) => Policy;

const WAIT_SECONDS_MIN = 1e-6;

/** What becomes of a call after one of its attempts ended. */
type AfterAttempt = "ended" | "waiting" | "retry" | "resend";

export class OpenLoop implements AttemptSink, CallSink {
  readonly #options: OpenLoopOptions;
  readonly #arrivals: ArrivalCursor;
  readonly #policies: UserPolicies;
  readonly #classifier: Classifier;
  readonly #scheduler: Scheduler;
  readonly #recorder: LoopRecord;
  readonly #deadlines: Deadlines;
  readonly #events: LoopEvents;
  readonly #endSeconds: number;
  readonly #lateSeconds: number;
  readonly #dropsLate: boolean;
  readonly #criticalityOf: OpenLoopOptions["criticalityOf"];
  readonly #source: CallSource | undefined;
  #transport: Transport | undefined;

  /** Time of the event being handled: read once an event, so that policies cost no clock reads. */
  #nowSeconds = 0;
  readonly #policyClock: Clock = { now: () => this.#nowSeconds };
  readonly #users: (Policy | undefined)[] = [];
  readonly #pool: Call[] = [];
  /** Calls under way, in no order; each knows its slot. */
  readonly #live: Call[] = [];
  #inFlightMax = 0;
  #phase: "arriving" | "draining" | "done" = "arriving";
  #stopped = false;
  #arrivalsEndSeconds = 0;
  #doneSeconds = 0;

  readonly #arrivalTask: Task = { run: () => this.#arrive() };
  readonly #measureTask: Task = { run: () => this.#beginMeasuring() };
  readonly #endTask: Task = { run: () => this.#beginDrain(this.#endSeconds) };
  readonly #drainTask: Task = { run: () => this.#cutOff() };

  /** @param source of calls beside those of the plan. */
  constructor(
    options: OpenLoopOptions,
    arrivals: ArrivalCursor,
    policies: UserPolicies,
    classifier: Classifier,
    scheduler: Scheduler,
    recorder: LoopRecord,
    events: LoopEvents,
    source?: CallSource,
  ) {
    this.#options = options;
    this.#arrivals = arrivals;
    this.#policies = policies;
    this.#classifier = classifier;
    this.#scheduler = scheduler;
    this.#recorder = recorder;
    this.#events = events;
    this.#endSeconds = options.warmupSeconds + options.durationSeconds;
    this.#lateSeconds = lateBoundSeconds(options.late);
    this.#dropsLate = options.late.kind === "drop";
    this.#criticalityOf = options.criticalityOf;
    this.#source = source;
    this.#deadlines = new Deadlines(scheduler, options.timeoutSeconds, (call) => this.#expire(call));
  }

  /** The most calls that were under way at once. */
  get inFlightMax(): number {
    return this.#inFlightMax;
  }

  /** Calls under way now. */
  get inFlight(): number {
    return this.#live.length;
  }

  /** When the arrivals ended, the warm-up included: as planned, or when {@link stop} or {@link endArrivals} was called. */
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

  /** True until the arrivals end. */
  get arriving(): boolean {
    return this.#phase === "arriving";
  }

  /** True from the last outcome on. */
  get done(): boolean {
    return this.#phase === "done";
  }

  start(transport: Transport): void {
    this.#transport = transport;
    if (this.#options.warmupSeconds > 0) this.#scheduler.at(this.#options.warmupSeconds, this.#measureTask, "exact");
    else this.#events.measuring();
    this.#source?.start(this);
    this.#scheduleArrival();
    // Arrivals lie before this in the schedule, also when the generator is late: none is lost.
    this.#scheduler.at(this.#endSeconds, this.#endTask, "exact");
  }

  /** Ends the arrivals now and drains; the result is then a partial one. */
  stop(): void {
    if (this.#phase !== "arriving") return;
    this.#stopped = true;
    this.endArrivals();
  }

  endArrivals(): void {
    // Workers that start together may be stopped before the moment has come.
    this.#beginDrain(Math.max(0, this.#scheduler.now()));
  }

  arrive(user: number, intendedSeconds: number): void {
    if (this.#phase !== "arriving") return;
    this.#nowSeconds = this.#scheduler.now();
    this.#take(user, intendedSeconds);
  }

  begin(user: number, nowSeconds: number): void {
    // The end may be about to come: it is a task among others.
    if (this.#phase !== "arriving" || nowSeconds >= this.#endSeconds) return;
    this.#nowSeconds = nowSeconds;
    this.#take(user, nowSeconds);
  }

  /** Records the calls under way as they would stand if the trial were cut off at `nowSeconds`; they go on. */
  recordOpen(record: CutOffRecord, nowSeconds: number): void {
    for (const call of this.#live) {
      for (const copy of copiesOf(call)) if (copy.phase === "inFlight") record.cutOff(copy, nowSeconds);
      record.callEnded(call, "unfinished", nowSeconds);
    }
  }

  attemptEnded(call: Call): void {
    if (call.phase === "sending") {
      call.phase = "answered";
      return;
    }
    if (call.phase !== "inFlight") throw new Error(`An attempt ended of a call that is ${call.phase}`);
    this.#nowSeconds = this.#scheduler.now();
    this.#deadlines.unwatch(call);
    this.#proceed(call, this.#settle(call));
  }

  #beginMeasuring(): void {
    if (this.#phase === "arriving") this.#events.measuring();
  }

  #scheduleArrival(): void {
    if (this.#arrivals.next()) this.#scheduler.at(this.#arrivals.timeSeconds, this.#arrivalTask, "exact");
  }

  #arrive(): void {
    if (this.#phase !== "arriving") return;
    this.#nowSeconds = this.#scheduler.now();
    const { user, timeSeconds } = this.#arrivals;
    this.#scheduleArrival();
    this.#take(user, timeSeconds);
  }

  #take(user: number, intendedSeconds: number): void {
    const call = this.#pool.pop() ?? new Call();
    call.user = user;
    call.intendedSeconds = intendedSeconds;
    call.attempt = 0;
    call.backoffFrom = 0;
    call.resent = false;
    if (this.#criticalityOf !== undefined) call.criticality = this.#criticalityOf(call.user);
    const uptake = this.#uptakeOf(call);
    this.#recorder.arrived(call, this.#nowSeconds, uptake);
    if (uptake === "droppedLate" || uptake === "refused") {
      this.#recorder.callEnded(call, "dropped", this.#nowSeconds);
      this.#pool.push(call);
      this.#source?.callEnded(user, this.#nowSeconds);
      return;
    }
    call.policy = this.#policyOf(call.user);
    call.slot = this.#live.length;
    this.#live.push(call);
    if (this.#live.length > this.#inFlightMax) this.#inFlightMax = this.#live.length;
    this.#proceed(call, "retry");
  }

  /** Lateness is the generator's own doing, so it is judged first, and the policy is not asked. */
  #uptakeOf(call: Call): Uptake {
    // The drain's bound holds for arrivals too: a plan beyond this generator must not go on for ever.
    if (this.#nowSeconds > this.#endSeconds + this.#options.drainSeconds) return "droppedLate";
    const late = this.#nowSeconds - call.intendedSeconds > this.#lateSeconds;
    if (late && this.#dropsLate) return "droppedLate";
    if (this.#live.length >= this.#options.maxInFlight) return "refused";
    return late ? "startedLate" : "started";
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
        call.prepareAdmission(this.#options.timeoutSeconds);
        const admission = (call.policy as Policy).admit(call);
        if (admission === "wait") {
          // Time must move on between two questions, in a world whose clock jumps from event to event too.
          call.delaySeconds = Math.max(call.delaySeconds, WAIT_SECONDS_MIN);
          this.#sleep(call);
          return;
        }
        if (admission !== "send") {
          this.#end(call, admission, false);
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
    call.handedSeconds = this.#nowSeconds;
    call.startedSeconds = -1;
    call.status = 0;
    call.fault = "none";
    call.answerHeaders = undefined;
    call.errorCode = "";
    call.hedgeDueSeconds = Number.POSITIVE_INFINITY;
    if (call.group !== undefined) call.group.latest = call;
    this.#recorder.handed(call);
    (this.#transport as Transport).send(call);
    if ((call.phase as Call["phase"]) === "answered") return true;
    call.phase = "inFlight";
    this.#deadlines.watch(call);
    if (call.hedgeSeconds !== Number.POSITIVE_INFINITY) this.#expectHedge(call);
    return false;
  }

  #expectHedge(call: Call): void {
    call.hedgeDueSeconds = this.#nowSeconds + call.hedgeSeconds;
    call.hedgeTask ??= { run: () => this.#hedge(call) };
    this.#scheduler.at(call.hedgeDueSeconds, call.hedgeTask, "exact");
  }

  /** The latest copy of a call has had its time without an answer: the policy is asked for another one. */
  #hedge(latest: Call): void {
    const now = this.#scheduler.now();
    // An entry of an attempt that ended meanwhile, or one that another copy has overtaken.
    if (latest.hedgeDueSeconds > now || latest.phase !== "inFlight") return;
    latest.hedgeDueSeconds = Number.POSITIVE_INFINITY;
    if (latest.group !== undefined && latest.group.latest !== latest) return;
    this.#nowSeconds = now;
    latest.group ??= new HedgeGroup(latest);
    const { group } = latest;
    const copy = this.#pool.pop() ?? new Call();
    copy.user = latest.user;
    copy.intendedSeconds = latest.intendedSeconds;
    copy.criticality = latest.criticality;
    copy.policy = latest.policy;
    copy.backoffFrom = 0;
    copy.resent = false;
    copy.attempt = group.nextAttempt();
    copy.group = group;
    group.members.push(copy);
    this.#proceed(copy, "retry");
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
    call.lastAttempt = call.group === undefined ? call.attempt : call.group.lastAttempt;
    const verdict = verdictOf(attemptClass);
    // Before the policy is asked: the record is in its hands then, and it may be the user's own.
    const ok = verdict === "accepted" && this.#classifier.isOk(call);
    const step = (call.policy as Policy).settle(call, verdict);
    if (step !== "retry") {
      this.#end(call, step === "done" ? (ok ? "ok" : "failed") : step, verdict !== "overloaded");
      return "ended";
    }
    call.attempt = call.group === undefined ? call.attempt + 1 : call.group.nextAttempt();
    if (!(call.delaySeconds > 0)) return "retry";
    this.#sleep(call);
    return "waiting";
  }

  #sleep(call: Call): void {
    call.phase = "waiting";
    call.wake ??= { run: () => this.#wake(call) };
    call.wakeSeconds = this.#nowSeconds + call.delaySeconds;
    this.#scheduler.at(call.wakeSeconds, call.wake, "exact");
  }

  #wake(call: Call): void {
    const now = this.#scheduler.now();
    // It was cut off or cancelled meanwhile, and may wait for something else by now.
    if (call.phase !== "waiting" || call.wakeSeconds > now) return;
    this.#nowSeconds = now;
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

  /** @param final false: other copies of the call, if there are any, go on. */
  #end(call: Call, outcome: Outcome, final: boolean): void {
    const { group } = call;
    if (group === undefined) this.#leave(call);
    else {
      group.leave(call);
      if (!final && group.members.length > 0) {
        if (call === group.primary) call.phase = "hedged";
        else this.#recycle(call);
        return;
      }
      this.#cancelCopies(group);
      this.#leave(group.primary);
      if (call !== group.primary) this.#recycle(group.primary);
    }
    this.#recorder.callEnded(call, outcome, this.#nowSeconds);
    this.#source?.callEnded(call.user, this.#nowSeconds);
    this.#recycle(call);
    if (this.#phase === "draining" && this.#live.length === 0) this.#finish();
  }

  #cancelCopies(group: HedgeGroup): void {
    for (const copy of group.members) {
      if (copy.phase === "inFlight") {
        this.#deadlines.unwatch(copy);
        (this.#transport as Transport).cancel(copy);
        this.#recorder.attemptEnded(copy, "cancelled", this.#nowSeconds);
      }
      (copy.policy as Policy).abandon?.(copy);
      if (copy !== group.primary) this.#recycle(copy);
    }
    group.members.length = 0;
  }

  #recycle(call: Call): void {
    call.phase = "idle";
    call.policy = undefined;
    call.lane = undefined;
    call.group = undefined;
    this.#pool.push(call);
  }

  /** Takes the call out of the list of calls under way: the last one moves to its slot. */
  #leave(call: Call): void {
    const last = this.#live.pop() as Call;
    if (last === call) return;
    this.#live[call.slot] = last;
    last.slot = call.slot;
  }

  #beginDrain(atSeconds: number): void {
    if (this.#phase !== "arriving") return;
    this.#nowSeconds = this.#scheduler.now();
    this.#phase = "draining";
    this.#arrivalsEndSeconds = atSeconds;
    this.#source?.arrivalsEnded(this.#nowSeconds);
    this.#events.arrivalsEnded?.();
    if (this.#live.length === 0) {
      this.#finish();
      return;
    }
    this.#scheduler.at(this.#arrivalsEndSeconds + this.#options.drainSeconds, this.#drainTask, "coarse");
  }

  /** The drain's bound has passed: what is still under way is `unfinished`, its age a lower bound. */
  #cutOff(): void {
    if (this.#phase !== "draining") return;
    this.#nowSeconds = this.#scheduler.now();
    this.#phase = "done";
    this.recordOpen(this.#recorder, this.#nowSeconds);
    for (const call of this.#live) {
      for (const copy of copiesOf(call)) {
        if (copy.phase === "inFlight") {
          this.#deadlines.unwatch(copy);
          (this.#transport as Transport).cancel(copy);
        }
        (copy.policy as Policy).abandon?.(copy);
        copy.phase = "idle";
      }
      call.phase = "idle";
    }
    this.#live.length = 0;
    this.#finish();
  }

  #finish(): void {
    this.#phase = "done";
    this.#doneSeconds = this.#nowSeconds;
    this.#events.ended();
  }
}

/** The records of a call that have an attempt under way or wait for one: itself, unless it was hedged. */
function copiesOf(call: Call): readonly Call[] {
  return call.group?.members ?? [call];
}
