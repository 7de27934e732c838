import { describe, expect, it } from "vitest";
import { CallRecord } from "../../src/policy/call-record.ts";
import { OverloadClient, type SendResult } from "../../src/policy/overload-client.ts";
import { ManualClock, readGolden, ScriptedRandom } from "./fakes.ts";

interface Step {
  readonly advance: number;
  readonly sends: readonly { readonly takes: number; readonly result: SendResult }[];
  readonly outcome: string;
  readonly draws: number;
  readonly requests: number;
  readonly accepts: number;
  readonly retries: number;
  readonly p: number;
}

interface Scenario {
  readonly start: number;
  readonly options: {
    readonly k: number;
    readonly window: number;
    readonly retryRatio: number;
    readonly maxAttempts: number;
  };
  readonly draws: readonly number[];
  readonly steps: readonly Step[];
}

const scenarios = readGolden<readonly Scenario[]>("overload-client.json");
const cases = scenarios.map((scenario, index) => [index, scenario.options, scenario] as const);

class Replay {
  private readonly clock: ManualClock;
  private readonly rng: ScriptedRandom;
  private drawsBefore = 0;
  readonly client: OverloadClient;

  constructor(scenario: Scenario) {
    this.clock = new ManualClock(scenario.start);
    this.rng = new ScriptedRandom(...scenario.draws);
    this.client = new OverloadClient(this.clock, this.rng, scenario.options);
  }

  /** Advances to the step; the send that it returns takes its time and gives its result. */
  begin(step: Step): { send: () => SendResult; sent: () => number } {
    this.clock.seconds += step.advance;
    this.drawsBefore = this.rng.draws;
    let sent = 0;
    const send = () => {
      const { takes, result } = step.sends[sent++]!;
      this.clock.seconds += takes;
      return result;
    };
    return { send, sent: () => sent };
  }

  state(outcome: string, sent: number) {
    return {
      outcome,
      sent,
      draws: this.rng.draws - this.drawsBefore,
      requests: this.client.requests(),
      accepts: this.client.accepts(),
      retries: this.client.retries(),
      p: this.client.rejectProbability(),
    };
  }
}

function expectedState({ outcome, sends, draws, requests, accepts, retries, p }: Step) {
  return { outcome, sent: sends.length, draws, requests, accepts, retries, p };
}

describe("OverloadClient against the recorded scenarios", () => {
  it("there are 12 scenarios of 150 calls, which end in every outcome", () => {
    expect(scenarios.map((scenario) => scenario.steps.length)).toEqual(Array.from({ length: 12 }, () => 150));
    const outcomes = new Set(scenarios.flatMap((scenario) => scenario.steps.map((step) => step.outcome)));
    expect([...outcomes].sort()).toEqual(["budget", "failed", "ok", "throttled"]);
  });

  it.each(cases)("call() reproduces scenario %i exactly, synchronously: %o", (_index, _options, scenario) => {
    const replay = new Replay(scenario);
    for (const step of scenario.steps) {
      const { send, sent } = replay.begin(step);
      expect(replay.state(replay.client.call(send), sent())).toEqual(expectedState(step));
    }
  });

  it.each(cases)("call() reproduces scenario %i exactly, with promises: %o", async (_index, _options, scenario) => {
    const replay = new Replay(scenario);
    for (const step of scenario.steps) {
      const { send, sent } = replay.begin(step);
      const outcome = await replay.client.call(async () => {
        await Promise.resolve();
        return send();
      });
      expect(replay.state(outcome, sent())).toEqual(expectedState(step));
    }
  });

  it.each(cases)("admit() and settle() reproduce scenario %i exactly: %o", (_index, _options, scenario) => {
    const replay = new Replay(scenario);
    const call = new CallRecord();
    for (const step of scenario.steps) {
      const { send, sent } = replay.begin(step);
      let outcome = "";
      for (call.attempt = 0; outcome === ""; call.attempt++) {
        const admission = replay.client.admit(call);
        if (admission !== "send") {
          outcome = admission;
          break;
        }
        const accepted = send() === "ok";
        const next = replay.client.settle(call, accepted ? "accepted" : "overloaded");
        if (next === "done") outcome = accepted ? "ok" : "failed";
      }
      expect(replay.state(outcome, sent())).toEqual(expectedState(step));
      expect(call.delaySeconds).toBe(0);
    }
  });
});
