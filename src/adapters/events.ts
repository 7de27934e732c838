/** What overload control does, told to whoever keeps metrics: event by event, or as counters. */

import type { AttemptVerdict, ClientOutcome, Fault } from "../policy/policy.ts";
import type { ResendObstacle } from "./resend.ts";

/**
 * How a call ended: as its policy has it, or `aborted` by its caller. `ok`: the backend took it, whatever its status.
 */
export type ControlledOutcome = ClientOutcome | "aborted";

/** `key` is the origin, or what `keyOf` gave; `attempt` is 0 for the first attempt of a call. */
export type OverloadControlEvent =
  /** An attempt that was sent ended: its headers came, or a fault. `status` is 0 when there was no answer. */
  | {
      readonly type: "attempt";
      readonly key: string;
      readonly attempt: number;
      readonly class: AttemptVerdict;
      readonly status: number;
      readonly fault: Fault;
      readonly seconds: number;
    }
  /** The attempt `attempt` is to wait, for its admission or for a backoff. */
  | { readonly type: "wait"; readonly key: string; readonly attempt: number; readonly seconds: number }
  /** The policy wanted the attempt `attempt`, but the request is not one to be sent again. */
  | { readonly type: "notResent"; readonly key: string; readonly attempt: number; readonly obstacle: ResendObstacle }
  /** A call ended. `attempts`: those sent. `seconds` until the headers of its answer, or its error. */
  | {
      readonly type: "call";
      readonly key: string;
      readonly outcome: ControlledOutcome;
      readonly attempts: number;
      readonly seconds: number;
    };

/** The part of an OpenTelemetry `Meter` that is used. */
export interface CounterMeter {
  createCounter(
    name: string,
    options?: { readonly description?: string; readonly unit?: string },
  ): { add(value: number, attributes?: Record<string, string>): void };
}

type Counter = ReturnType<CounterMeter["createCounter"]>;
type Listener = (event: OverloadControlEvent) => void;

/** The hooks of one interceptor or fetch wrapper. What they throw or reject with is ignored: metrics must not fail what they count. */
export class Hooks {
  readonly onEvent: Listener | undefined;
  readonly attempts: Counter | undefined;
  readonly calls: Counter | undefined;
  readonly notResent: Counter | undefined;

  constructor(onEvent: Listener | undefined, meter: CounterMeter | undefined) {
    this.onEvent = onEvent;
    this.attempts = meter?.createCounter("overload_control.attempts", {
      description: "Attempts that were sent, by class: accepted, overloaded, failed",
      unit: "{attempt}",
    });
    this.calls = meter?.createCounter("overload_control.calls", {
      description: "Calls that ended, by outcome: ok, failed, aborted, or why the policy refused them",
      unit: "{call}",
    });
    this.notResent = meter?.createCounter("overload_control.not_resent", {
      description: "Retries that were due but not made, by obstacle: body, method",
      unit: "{retry}",
    });
  }
}

/** Tells the hooks what happens under one key. */
export class KeyObserver {
  private readonly key: string;
  private readonly onEvent: Listener | undefined;
  private readonly attempts: KeyCounter;
  private readonly calls: KeyCounter;
  private readonly forgone: KeyCounter;

  constructor({ onEvent, attempts, calls, notResent }: Hooks, key: string) {
    this.key = key;
    this.onEvent = onEvent;
    this.attempts = new KeyCounter(attempts, key, "overload_control.class");
    this.calls = new KeyCounter(calls, key, "overload_control.outcome");
    this.forgone = new KeyCounter(notResent, key, "overload_control.obstacle");
  }

  attemptEnded(attempt: number, verdict: AttemptVerdict, status: number, fault: Fault, seconds: number): void {
    this.attempts.add(verdict);
    this.tell({ type: "attempt", key: this.key, attempt, class: verdict, status, fault, seconds });
  }

  waits(attempt: number, seconds: number): void {
    this.tell({ type: "wait", key: this.key, attempt, seconds });
  }

  notResent(attempt: number, obstacle: ResendObstacle): void {
    this.forgone.add(obstacle);
    this.tell({ type: "notResent", key: this.key, attempt, obstacle });
  }

  callEnded(outcome: ControlledOutcome, attempts: number, seconds: number): void {
    this.calls.add(outcome);
    this.tell({ type: "call", key: this.key, outcome, attempts, seconds });
  }

  private tell(event: OverloadControlEvent): void {
    try {
      silence(this.onEvent?.(event));
    } catch {
      // See Hooks.
    }
  }
}

/** A hook may be asynchronous: then what it rejects with is ignored as well. */
function silence(returned: unknown): void {
  const promise = returned as PromiseLike<unknown> | null | undefined;
  if (typeof promise?.then === "function") promise.then(undefined, () => {});
}

/** A counter with the attributes of one key, each set of them made once. */
class KeyCounter {
  private readonly counter: Counter | undefined;
  private readonly key: string;
  private readonly attribute: string;
  private readonly attributes: Map<string, Record<string, string>> = new Map();

  constructor(counter: Counter | undefined, key: string, attribute: string) {
    this.counter = counter;
    this.key = key;
    this.attribute = attribute;
  }

  add(value: string): void {
    if (this.counter === undefined) return;
    let attributes = this.attributes.get(value);
    if (attributes === undefined) {
      attributes = { "overload_control.key": this.key, [this.attribute]: value };
      this.attributes.set(value, attributes);
    }
    try {
      silence(this.counter.add(1, attributes));
    } catch {
      // See Hooks.
    }
  }
}
