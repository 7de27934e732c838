import { describe, expect, it } from "vitest";
import type { Host } from "../../src/cli/host.ts";
import { createProgress } from "../../src/cli/live/progress.ts";
import { compact, SimulationProgress } from "../../src/cli/live/simulation-progress.ts";
import { SmoothedRate } from "../../src/cli/live/smoothed-rate.ts";
import { trialFixture } from "../support/trial-fixture.ts";

/** A clock that the test sets. */
class Clock {
  ms = 5000;
  readonly now = (): number => this.ms;
}

function secondsLeft(text: string): number {
  const [, minutes = "0", seconds] = /(?:(\d+) min )?(\d+) s left/.exec(text) ?? [];
  return 60 * Number(minutes) + Number(seconds);
}

describe("compact()", () => {
  it.each([
    [845, "845"],
    [999.6, "1.00 k"],
    [12_345, "12.3 k"],
    [999_499, "999 k"],
    [999_600, "1.00 M"],
    [1_204_000, "1.20 M"],
    [5_678_000_000, "5678 M"],
  ])("writes %d as %s", (value, text) => {
    expect(compact(value)).toBe(text);
  });
});

describe("SimulationProgress", () => {
  it("knows the time left of a trial at a steady pace, once there is more than a second to go by", () => {
    const clock = new Clock();
    const progress = new SimulationProgress([10_000], clock.now);
    progress.started(0);
    for (let step = 1; step <= 20; step += 1) {
      clock.ms += 200;
      progress.advanced(0, { planned: 100 * step, ok: 50 * step, attempts: 3000 * step });
      const text = progress.text();
      expect(text).toContain(`${step} %`);
      if (step < 5) expect(text).not.toContain("left");
      else expect(Math.abs(secondsLeft(text) - 0.2 * (100 - step))).toBeLessThan(1.01);
    }
    expect(progress.text()).toBe("20 % · 16 s left · 15.0 k attempts/s · 2.00 k calls · 50 % ok");
  });

  it("follows a pace that changes, and not each step of it", () => {
    const clock = new Clock();
    const progress = new SimulationProgress([100_000], clock.now);
    progress.started(0);
    let planned = 0;
    const go = (steps: number, perStep: number): number => {
      for (let step = 0; step < steps; step += 1) {
        clock.ms += 200;
        planned += perStep * (step % 2 === 0 ? 1.5 : 0.5);
        progress.advanced(0, { planned, ok: 0, attempts: planned });
      }
      return secondsLeft(progress.text());
    };
    const [before, again] = [go(50, 200), go(1, 200)];
    // One step of half as many again as the mean is a tenth of the time left at most.
    expect(Math.abs(before - again)).toBeLessThan(0.1 * before);
    const slower = go(100, 50);
    const true_ = ((100_000 - planned) / 50) * 0.2;
    expect(Math.abs(slower - true_)).toBeLessThan(0.1 * true_);
  });

  it("counts several trials by their calls, and waits for the slowest that is under way", () => {
    const clock = new Clock();
    const progress = new SimulationProgress([100, 100, 200], clock.now);
    progress.started(0);
    progress.started(1);
    for (let step = 1; step <= 10; step += 1) {
      clock.ms += 1000;
      progress.advanced(0, { planned: 10 * step, ok: 0, attempts: 10 * step });
      progress.advanced(1, { planned: step, ok: 0, attempts: step });
    }
    expect(progress.text()).toMatch(/^0 of 3 trials · 27 % · 1 min 30 s left · 1\d attempts\/s$/);
    progress.ended(0, trialFixture({ calls: { ok: 100 } }));
    expect(progress.text()).toContain("1 of 3 trials · 27 %");
  });

  it("is at 100 % when all have ended, whatever was planned of them", () => {
    const clock = new Clock();
    const progress = new SimulationProgress([0, 1e9], clock.now);
    for (const index of [0, 1]) {
      progress.started(index);
      clock.ms += 700;
      progress.ended(index, trialFixture());
    }
    expect(progress.text()).toContain("2 of 2 trials · 100 %");
  });
});

describe("SmoothedRate", () => {
  it("is the mean of all that there is at first, and knows nothing of one moment", () => {
    const rate = new SmoothedRate();
    rate.add(100, 0);
    expect(rate.perSecond).toBeUndefined();
    rate.add(150, 500);
    expect(rate.perSecond).toBeCloseTo(100, 9);
    rate.add(150, 1000);
    expect(rate.perSecond).toBeCloseTo(50, 9);
  });

  it("forgets what is long ago", () => {
    const rate = new SmoothedRate();
    for (let second = 0; second <= 60; second += 1) rate.add(1e6 * second, 1000 * second);
    for (let second = 61; second <= 120; second += 1) rate.add(60e6 + 10 * (second - 60), 1000 * second);
    expect(rate.perSecond).toBeGreaterThan(9);
    expect(rate.perSecond).toBeLessThan(20);
  });
});

describe("createProgress() without a terminal", () => {
  it("writes a line of a simulation at most every five seconds of wall time, however far it is", () => {
    const clock = new Clock();
    let stderr = "";
    const write = (text: string): void => {
      stderr += text;
    };
    const output = { write, isTTY: false, columns: undefined };
    const progress = createProgress({ stderr: output, env: {} } as unknown as Host, false, { nowMs: clock.now });
    progress.begin("6 trials, 2 at a time", 0);
    for (let step = 1; step <= 120; step += 1) {
      clock.ms += 100;
      progress.simulated(`${step} of 120`);
    }
    expect(stderr).toBe("6 trials, 2 at a time\n6 trials, 2 at a time  50 of 120\n6 trials, 2 at a time  100 of 120\n");
  });
});
