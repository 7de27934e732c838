import { describe, expect, it } from "vitest";
import { LiveTrial } from "../../src/engine/live-trial.ts";
import { type TrialGain, takeTrialGain } from "../../src/engine/trial-gain.ts";
import type { WorldFacts } from "../../src/engine/trial-part.ts";
import { type FakeRun, runFake } from "../support/fake-world.ts";
import { trialSpec } from "../support/trial-spec.ts";

const FACTS: WorldFacts = { startedAt: "2026-01-02T03:04:05.000Z" };

/** What a trial of `seconds` told, about once a second and at its end. */
function gainsOf(run: FakeRun, seconds: number, facts: WorldFacts = FACTS): { readonly gains: TrialGain[] } {
  const gains: TrialGain[] = [];
  let nextSeconds = 0;
  const trial = runFake({
    ...run,
    plan: { ...run.plan, durationSeconds: seconds - (run.plan?.warmupSeconds ?? 0) },
    before(loop, nowSeconds, recorder) {
      if (nowSeconds < nextSeconds) return;
      nextSeconds += 1;
      gains.push(takeTrialGain(loop, recorder, nowSeconds, facts));
    },
  });
  gains.push(takeTrialGain(trial.loop, trial.recorder, trial.loop.doneSeconds, facts));
  return { gains };
}

function liveTrial(warmupSeconds: number, durationSeconds: number): LiveTrial {
  const { plan, ...rest } = trialSpec();
  return new LiveTrial({
    ...rest,
    world: { kind: "real", pacing: "precise" },
    plan: { ...plan, warmupSeconds, durationSeconds },
  });
}

describe("LiveTrial", () => {
  it("knows nothing before the first account", () => {
    expect(liveTrial(0, 10).figures).toBeUndefined();
  });

  it("sums accounts up to what the recorder itself has at the end", () => {
    const { gains } = gainsOf(
      { plan: { rps: 100 }, fateOf: (_, index) => ({ status: index % 4 === 0 ? 503 : 200, afterSeconds: 0.02 }) },
      5,
    );
    const live = liveTrial(0, 5);
    for (const gain of gains) live.add(gain);
    const { planned, outcomes, inFlight, sent, classes, responseOk } = live.figures!;
    expect(planned).toBe(500);
    expect(outcomes.ok).toBe(500);
    expect(inFlight).toBe(0);
    expect(sent).toBe(classes.accepted + classes.overloaded);
    expect(classes.overloaded).toBeGreaterThan(100);
    expect(1000 * responseOk!.p50Seconds).toBeCloseTo(20, 0);
  });

  it("tells the rates of the last five seconds, not those of all", () => {
    const { gains } = gainsOf(
      {
        plan: { rps: 100 },
        fateOf: (call) => ({ status: call.intendedSeconds < 10 ? 200 : 404, afterSeconds: 0.001 }),
      },
      20,
    );
    const live = liveTrial(0, 20);
    const goodputs: number[] = [];
    for (const gain of gains) {
      live.add(gain);
      goodputs.push(live.figures!.recent?.goodput ?? Number.NaN);
    }
    expect(goodputs[0]).toBeNaN();
    expect(goodputs[9]).toBeCloseTo(100, -1);
    // 404 is no useful answer: after five seconds of it nothing is left of the good ones.
    expect(live.figures!.recent).toMatchObject({ goodput: 0, responseOkP99Seconds: undefined });
    expect(live.figures!.recent!.offered).toBeCloseTo(100, -1);
    expect(live.figures!.recent!.seconds).toBeCloseTo(5, 0);
    expect(live.figures!.outcomes.ok).toBe(1000);
  });

  it("keeps a minute of goodput by the second, whatever the duration", () => {
    const { gains } = gainsOf({ plan: { rps: 10 }, fateOf: () => ({ status: 200, afterSeconds: 0.001 }) }, 90);
    const live = liveTrial(0, 90);
    for (const gain of gains) live.add(gain);
    expect(live.figures!.goodputBySecond).toHaveLength(60);
    for (const rate of live.figures!.goodputBySecond) expect(rate).toBeCloseTo(10, -1);
  });

  it("tells of the warm-up until the measured window begins, and gives no verdict on it", () => {
    const { gains } = gainsOf(
      { plan: { rps: 50, warmupSeconds: 2 }, fateOf: () => ({ status: 200, afterSeconds: 0.01 }) },
      4,
    );
    const live = liveTrial(2, 2);
    const phases: boolean[] = [];
    for (const gain of gains) {
      live.add(gain);
      phases.push(live.figures!.warmingUp);
      expect(live.figures!.validity === undefined).toBe(live.figures!.warmingUp);
    }
    expect(phases.at(0)).toBe(true);
    expect(phases.at(-1)).toBe(false);
    expect(live.figures!.planned).toBe(100);
  });

  it("finds a trial invalid as soon as one attempt failed on this side, by the limits of the verdict", () => {
    const { gains } = gainsOf(
      {
        plan: { rps: 100 },
        fateOf: (_, index) =>
          index === 250 ? { fault: "client", afterSeconds: 0.001 } : { status: 200, afterSeconds: 0.001 },
      },
      5,
    );
    const live = liveTrial(0, 5);
    const verdicts = gains.map((gain) => {
      live.add(gain);
      return live.figures!.validity?.verdict;
    });
    expect(verdicts[1]).toBe("valid");
    expect(live.figures!.validity).toMatchObject({ verdict: "invalid", reasons: [{ code: "client-fault" }] });
  });

  it("does not hold it against a trial that it has only begun", () => {
    const { gains } = gainsOf({ plan: { rps: 5 }, fateOf: () => ({ status: 200, afterSeconds: 0.3 }) }, 3);
    const live = liveTrial(0, 3);
    for (const gain of gains.slice(0, 2)) live.add(gain);
    expect(live.figures!.planned).toBeLessThan(10);
    expect(live.figures!.validity).toEqual({ verdict: "valid", reasons: [] });
  });

  it("measures a stall against the trial as planned, not as far as it came", () => {
    const stalled: WorldFacts = {
      ...FACTS,
      generator: {
        cpuSeconds: 1,
        wallSeconds: 1,
        workers: 1,
        inFlightMax: 1,
        stealRatio: 0,
        rssMaxBytes: 1,
        stallMaxMs: 400,
        clockJumpMs: 0,
      },
    };
    const { gains } = gainsOf({ plan: { rps: 50 }, fateOf: () => ({ status: 200, afterSeconds: 0.01 }) }, 3, stalled);
    const verdictOver = (durationSeconds: number): string | undefined => {
      const live = liveTrial(0, durationSeconds);
      for (const gain of gains) live.add(gain);
      return live.figures!.validity?.verdict;
    };
    expect(verdictOver(60)).toBe("suspect");
    expect(verdictOver(3)).toBe("invalid");
  });
});
