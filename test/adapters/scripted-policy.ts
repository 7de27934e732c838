/** A policy that answers as a test says, and keeps what it was told. */

import type {
  Admission,
  AttemptVerdict,
  NextStep,
  Policy,
  PolicyCall,
  PolicyFactory,
} from "../../src/policy/policy.ts";

export interface Script {
  /** Default `send`. */
  readonly admit?: (call: PolicyCall, times: number) => Admission;
  /** Default: an overloaded attempt is retried at once, up to three attempts. */
  readonly settle?: (call: PolicyCall, verdict: AttemptVerdict) => NextStep;
}

export class ScriptedPolicy implements Policy {
  /** `admit 0`, `settle 0 overloaded 503 none`, `abandon 1`: in order, with the number of the attempt. */
  readonly log: string[] = [];
  /** The headers that came with each `settle`. */
  readonly headers: (readonly string[] | undefined)[] = [];
  private readonly script: Script;
  private admissions = 0;

  constructor(script: Script = {}) {
    this.script = script;
  }

  /** All keys share this one. */
  get factory(): PolicyFactory {
    return () => this;
  }

  count(what: "admit" | "settle" | "abandon"): number {
    return this.log.filter((entry) => entry.startsWith(what)).length;
  }

  admit(call: PolicyCall): Admission {
    this.log.push(`admit ${call.attempt}`);
    this.admissions += 1;
    return this.script.admit?.(call, this.admissions) ?? "send";
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    this.log.push(`settle ${call.attempt} ${verdict} ${call.status} ${call.fault}`);
    this.headers.push(call.answerHeaders);
    if (this.script.settle !== undefined) return this.script.settle(call, verdict);
    return verdict === "overloaded" && call.attempt < 2 ? "retry" : "done";
  }

  abandon(call: PolicyCall): void {
    this.log.push(`abandon ${call.attempt}`);
  }
}
