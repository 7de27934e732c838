/** A preset's policy, told when calls begin and how they end. */

import { breakerPresets } from "../../../src/policy/breaker/presets.ts";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import type { Admission, AttemptVerdict, NextStep, Policy } from "../../../src/policy/policy.ts";
import type { PolicyPreset } from "../../../src/policy/preset.ts";
import { ManualClock, ScriptedRandom } from "../fakes.ts";

export function presetNamed(name: string): PolicyPreset {
  const preset = breakerPresets.find((candidate) => candidate.name === name);
  if (preset === undefined) throw new Error(`there is no preset '${name}'`);
  return preset;
}

export class Story {
  readonly clock: ManualClock = new ManualClock();
  readonly policy: Policy;

  /** @param jitter the random numbers for the open times. */
  constructor(name: string, options: Readonly<Record<string, number>> = {}, ...jitter: readonly number[]) {
    const { preset, own } = resolvePreset(presetNamed(name), options);
    this.policy = preset.create(own)(this.clock, new ScriptedRandom(0), new ScriptedRandom(...jitter, 0));
  }

  /** @returns the call when it is sent, else why not. */
  begin(atSeconds: number): CallRecord | Admission {
    this.clock.seconds = atSeconds;
    const call = new CallRecord();
    call.prepareAdmission(10);
    const admission = this.policy.admit(call);
    return admission === "send" ? call : admission;
  }

  end(call: CallRecord | Admission, atSeconds: number, verdict: AttemptVerdict, status = 200): NextStep {
    if (typeof call === "string") throw new Error(`the call was not sent: ${call}`);
    this.clock.seconds = atSeconds;
    call.status = status;
    return this.policy.settle(call, verdict);
  }

  /** Calls that end as they begin: `.` accepted, `x` overloaded. @returns for each: it, or `-` when it was broken. */
  play(atSeconds: number, outcomes: string): string {
    return [...outcomes]
      .map((outcome) => {
        const call = this.begin(atSeconds);
        if (typeof call === "string") return call === "broken" ? "-" : call;
        this.end(call, atSeconds, outcome === "x" ? "overloaded" : "accepted", outcome === "x" ? 503 : 200);
        return outcome;
      })
      .join("");
  }
}
