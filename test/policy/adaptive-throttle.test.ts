import { describe, expect, it } from "vitest";
import { AdaptiveThrottle } from "../../src/policy/adaptive-throttle.ts";
import { ManualClock, readGolden, ScriptedRandom } from "./fakes.ts";

interface Scenario {
  readonly start: number;
  readonly options: { readonly k: number; readonly window: number };
  readonly steps: readonly {
    readonly advance: number;
    readonly draw: number;
    readonly requests: number;
    readonly accepts: number;
    readonly p: number;
    readonly shouldSend: boolean;
    readonly record?: boolean;
  }[];
}

const scenarios = readGolden<readonly Scenario[]>("adaptive-throttle.json");

describe("AdaptiveThrottle against the recorded scenarios", () => {
  it("there are 8 scenarios of 200 steps", () => {
    expect(scenarios.map((scenario) => scenario.steps.length)).toEqual(Array.from({ length: 8 }, () => 200));
  });

  it.each(scenarios.map((scenario, index) => [index, scenario.options, scenario] as const))(
    "shouldSend() reproduces scenario %i exactly: %o",
    (_index, options, { start, steps }) => {
      const clock = new ManualClock(start);
      const random = new ScriptedRandom(...steps.map((step) => step.draw));
      const throttle = new AdaptiveThrottle(clock, random, options);
      for (const [index, step] of steps.entries()) {
        clock.seconds += step.advance;
        expect({
          requests: throttle.requests(),
          accepts: throttle.accepts(),
          p: throttle.rejectProbability(),
          shouldSend: throttle.shouldSend(),
          draws: random.draws,
        }).toEqual({
          requests: step.requests,
          accepts: step.accepts,
          p: step.p,
          shouldSend: step.shouldSend,
          draws: index + 1,
        });
        if (step.record !== undefined) throttle.record(step.record);
      }
    },
  );
});

describe("AdaptiveThrottle", () => {
  it.each([
    [0.5, true],
    [0.49999, false],
  ])("shouldSend() with p = 1/2 and u = %f is %s, and counts nothing", (u, sends) => {
    const throttle = new AdaptiveThrottle(new ManualClock(), new ScriptedRandom(u));
    throttle.record(false);
    expect(throttle.rejectProbability()).toBe(0.5);
    expect(throttle.shouldSend()).toBe(sends);
    expect([throttle.requests(), throttle.accepts()]).toEqual([1, 0]);
  });

  it("record() counts on completion, so unanswered attempts throttle nothing", () => {
    const throttle = new AdaptiveThrottle(new ManualClock(), new ScriptedRandom(0));
    for (let n = 0; n < 1000; n++) expect(throttle.shouldSend()).toBe(true);
    expect(throttle.requests()).toBe(0);
  });

  it("has k 2 and a window of 120 s by default", () => {
    for (const options of [undefined, {}, { k: undefined, window: undefined }]) {
      const clock = new ManualClock();
      const throttle = new AdaptiveThrottle(clock, new ScriptedRandom(0), options);
      throttle.record(true);
      throttle.record(false);
      throttle.record(false);
      expect(throttle.rejectProbability()).toBe(1 / 4);
      clock.seconds = 120;
      expect(throttle.requests()).toBe(3);
      clock.seconds = 120.5;
      expect(throttle.requests()).toBe(0);
    }
  });

  it.each([
    [{ k: 0 }, "'k' must be a finite number of at least 1: current value is 0"],
    [{ window: Number.NaN }, "'window' must be a finite number of seconds from 1 to 604800: current value is NaN"],
  ])("the option %o is a RangeError that names the option, the rule and the value", (options, message) => {
    expect(() => new AdaptiveThrottle(new ManualClock(), new ScriptedRandom(0), options)).toThrow(
      new RangeError(`Cannot create AdaptiveThrottle as ${message}`),
    );
  });
});
