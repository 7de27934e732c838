import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GovernorLine } from "../../src/governor/governor-line.ts";
import type { ThrottleGovernorOptions } from "../../src/governor/governor-options.ts";
import { type GovernedControl, ThrottleGovernor } from "../../src/governor/throttle-governor.ts";
import { ManualClock, readGolden } from "../policy/fakes.ts";

interface Step {
  readonly failures: number;
  readonly successes: number;
  readonly decision: "up" | "down" | "hold" | "none";
  readonly offer: number;
  readonly lastBad: number | null;
  readonly streak: number;
  readonly cleared: boolean;
}

interface Trace {
  readonly options: ThrottleGovernorOptions;
  readonly firstOffer: number;
  readonly steps: readonly Step[];
}

const { traces } = readGolden<{ readonly traces: readonly Trace[] }>("governor.json");

class FakeControl implements GovernedControl {
  value: number | undefined;
  readonly commits: number[] = [];
  failsWith: Error | undefined;

  committed(): number | undefined {
    return this.value;
  }

  commit(offer: number): void {
    if (this.failsWith !== undefined) throw this.failsWith;
    this.value = offer;
    this.commits.push(offer);
  }
}

/** A governor with all that is around it; `window` adds attempts and lets the window's time pass. */
class Governed {
  readonly clock = new ManualClock(100);
  readonly control = new FakeControl();
  readonly lines: GovernorLine[] = [];
  readonly governor: ThrottleGovernor;
  successes = 0;
  failures = 0;

  constructor(options: ThrottleGovernorOptions = {}) {
    this.governor = new ThrottleGovernor(this.clock, this.control, options, (line) => this.lines.push(line));
  }

  window(failures: number, successes: number): string {
    this.failures += failures;
    this.successes += successes;
    this.clock.seconds += 2;
    return this.governor.tick(this)?.kind ?? "none";
  }

  /** Windows of so many attempts, none of them failed. */
  clean(windows: number, attempts = 100): void {
    for (let index = 0; index < windows; index++) this.window(0, attempts);
  }

  get state() {
    return { offer: this.control.value, lastBad: this.governor.lastBad, streak: this.governor.streak };
  }

  get texts(): readonly string[] {
    return this.lines.map(({ level, text }) => `${level}: ${text}`);
  }
}

describe("ThrottleGovernor against the recorded traces", () => {
  it("there are 8 traces of 60 windows, with every decision and cleared memories", () => {
    expect(traces.map(({ steps }) => steps.length)).toEqual(Array.from({ length: 8 }, () => 60));
    const steps = traces.flatMap((trace) => trace.steps);
    expect([...new Set(steps.map(({ decision }) => decision))].sort()).toEqual(["down", "hold", "none", "up"]);
    expect(steps.some(({ cleared }) => cleared)).toBe(true);
  });

  it.each(traces.map((trace, index) => [index, trace.options, trace] as const))(
    "tick() reproduces trace %i exactly: %o",
    (_index, options, { firstOffer, steps }) => {
      const governed = new Governed(options);
      expect(governed.control.value).toBe(firstOffer);
      for (const [index, { failures, successes, decision, offer, lastBad, streak, cleared }] of steps.entries()) {
        governed.lines.length = 0;
        const seen = { index, decision: governed.window(failures, successes), ...governed.state };
        expect(seen).toEqual({ index, decision, offer, lastBad: lastBad ?? undefined, streak });
        expect(governed.lines.some(({ event }) => event.kind === "cleared")).toBe(cleared);
      }
    },
  );
});

describe("tick()", () => {
  it("does nothing before the window is over, and takes all of its attempts then", () => {
    const governed = new Governed();
    governed.successes = 1;
    for (let index = 0; index < 19; index++) {
      governed.clock.seconds += 0.1;
      expect(governed.governor.tick(governed)).toBeUndefined();
    }
    governed.clock.seconds += 0.2;
    expect(governed.governor.tick(governed)).toEqual({ kind: "up", offer: 2 });
  });

  it("begins the next window when it evaluates, however late that is", () => {
    const governed = new Governed();
    governed.clock.seconds += 3;
    expect(governed.window(0, 1)).toBe("up");
    governed.clock.seconds += 1.5;
    governed.successes += 1;
    expect(governed.governor.tick(governed)).toBeUndefined();
    governed.clock.seconds += 0.5;
    expect(governed.governor.tick(governed)?.kind).toBe("up");
  });

  it("begins the window anew when the clock is set back", () => {
    const governed = new Governed();
    governed.clock.seconds -= 1000;
    expect(governed.governor.tick(governed)).toBeUndefined();
    expect(governed.window(0, 1)).toBe("up");
  });

  it("changes nothing in an empty window, not even the streak", () => {
    const governed = new Governed({ start: 10 });
    governed.window(1, 9);
    governed.control.value = 20;
    governed.window(0, 10);
    const { streak } = governed.state;
    expect(streak).toBe(1);
    const before = governed.state;
    expect(governed.window(0, 0)).toBe("none");
    expect(governed.state).toEqual(before);
  });

  it("takes counts that fell for an empty window, and counts on from there", () => {
    const governed = new Governed();
    governed.clean(3);
    governed.successes = 5;
    expect(governed.window(0, 0)).toBe("none");
    expect(governed.window(0, 1)).toBe("up");
  });

  it("goes from the value in force, whoever set it", () => {
    const governed = new Governed({ ceiling: 1000 });
    governed.control.value = 300;
    governed.window(50, 50);
    expect(governed.state).toEqual({ offer: 150, lastBad: 300, streak: 0 });
  });

  it.each([undefined, Number.NaN])("does nothing while the value is %s, and drops the window's attempts", (value) => {
    const governed = new Governed({ start: 10 });
    governed.control.value = value;
    expect(governed.window(10, 0)).toBe("none");
    governed.control.value = 10;
    expect(governed.window(0, 10)).toBe("up");
    expect(governed.state.lastBad).toBeUndefined();
  });

  it("remembers nothing at the floor, where a breach is a hold", () => {
    const governed = new Governed({ floor: 4, ceiling: 100 });
    expect(governed.window(10, 0)).toBe("hold");
    expect(governed.state).toEqual({ offer: 4, lastBad: undefined, streak: 0 });
  });

  it("remembers the latest offer that failed, also when it is lower", () => {
    const governed = new Governed({ start: 100 });
    governed.window(50, 50);
    governed.window(50, 50);
    expect(governed.state).toEqual({ offer: 25, lastBad: 50, streak: 0 });
  });

  it("forgets at the ceiling too", () => {
    const governed = new Governed({ start: 100, ceiling: 100 });
    governed.window(10, 90);
    governed.control.value = 100;
    governed.clean(3);
    expect(governed.state).toEqual({ offer: 100, lastBad: undefined, streak: 0 });
  });

  it("goes on when the control throws, and says why", () => {
    const governed = new Governed();
    governed.control.failsWith = new Error("it is gone");
    expect(governed.window(0, 10)).toBe("up");
    expect(governed.state.offer).toBe(1);
    expect(governed.texts.at(-1)).toBe("warn: concurrency did not take 2: it is gone");
    governed.control.failsWith = undefined;
    governed.window(0, 10);
    expect(governed.state.offer).toBe(2);
  });
});

describe("tick() on any windows", () => {
  const windows = fc.array(fc.tuple(fc.nat({ max: 50 }), fc.nat({ max: 50 })), { maxLength: 60 });
  const options = fc
    .record({
      high: fc.double({ min: 0, max: 1, noNaN: true }),
      floor: fc.integer({ min: 1, max: 20 }),
      above: fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constant(Number.POSITIVE_INFINITY)),
      start: fc.integer({ min: -5, max: 2000 }),
    })
    .map(({ high, floor, above, start }) => ({ high, floor, ceiling: floor + above, start }));

  it("keeps the offer within its bounds", () => {
    fc.assert(
      fc.property(options, windows, (given, history) => {
        const governed = new Governed(given);
        for (const [failures, successes] of history) governed.window(failures, successes);
        for (const offer of governed.control.commits) {
          expect(offer).toBeGreaterThanOrEqual(given.floor);
          expect(offer).toBeLessThanOrEqual(given.ceiling);
        }
      }),
    );
  });

  it("decides the same with empty windows in between", () => {
    fc.assert(
      fc.property(options, windows, fc.infiniteStream(fc.nat({ max: 2 })), (given, history, gaps) => {
        const plain = new Governed(given);
        const gapped = new Governed(given);
        for (const [failures, successes] of history) {
          plain.window(failures, successes);
          for (let gap = gaps.next().value; gap > 0; gap--) expect(gapped.window(0, 0)).toBe("none");
          gapped.window(failures, successes);
          expect(gapped.state).toEqual(plain.state);
        }
      }),
    );
  });

  it("goes by shares alone: twice the attempts decide the same", () => {
    fc.assert(
      fc.property(options, windows, (given, history) => {
        const once = new Governed(given);
        const twice = new Governed(given);
        for (const [failures, successes] of history) {
          once.window(failures, successes);
          twice.window(2 * failures, 2 * successes);
        }
        expect(twice.control.commits).toEqual(once.control.commits);
      }),
    );
  });

  it("tells each movement in one line with its signal, figure, old and new value, and nothing about a hold", () => {
    fc.assert(
      fc.property(options, windows, (given, history) => {
        const governed = new Governed(given);
        for (const [failures, successes] of history) {
          const from = governed.control.value;
          governed.lines.length = 0;
          const kind = governed.window(failures, successes);
          const moves = governed.lines.filter(({ event }) => event.kind === "up" || event.kind === "down");
          if (kind === "hold" || kind === "none") expect(moves).toEqual([]);
          else
            expect(moves.map(({ event }) => event)).toMatchObject([
              { kind, from, to: governed.control.value, failures },
            ]);
          for (const { text } of governed.lines) expect(text).not.toContain("\n");
        }
      }),
    );
  });
});

describe("the lines", () => {
  it("tell the start, the climb, the back-off, the way back, the probes and the clearing", () => {
    const governed = new Governed({ control: "rate", start: 320, ceiling: 2000 });
    governed.clean(1, 640);
    governed.window(480, 800);
    governed.clean(1, 800);
    governed.clean(1, 960);
    governed.control.value = 640;
    governed.clean(3, 1280);
    expect(governed.texts).toEqual([
      "info: rate starts at 320, ceiling 2000, floor 1: lowered above 5.0 % failed attempts in 2 s, raised below 1.0 %",
      "info: 0.0 % of attempts failed (0/640 in 2 s) < 1.0 %: climbing, rate 320 -> 640 (ceiling 2000)",
      "warn: 37.5 % of attempts failed (480/1280 in 2 s) > 5.0 %: rate 640 -> 400",
      "info: 0.0 % of attempts failed (0/800 in 2 s) < 1.0 %: probing, rate 400 -> 480 (ceiling 2000)",
      "info: 0.0 % of attempts failed (0/960 in 2 s) < 1.0 %: probing, rate 480 -> 492.8 (ceiling 2000)",
      "debug: clean at rate 640, not below 640 that failed: 1 of 3 windows to forget it",
      "info: 0.0 % of attempts failed (0/1280 in 2 s) < 1.0 %: probing, rate 640 -> 652.8 (ceiling 2000)",
      "debug: clean at rate 652.8, not below 640 that failed: 2 of 3 windows to forget it",
      "info: 0.0 % of attempts failed (0/1280 in 2 s) < 1.0 %: probing, rate 652.8 -> 665.6 (ceiling 2000)",
      "info: clean for 3 windows at or above rate 640 that failed, now 665.6: forgotten",
      "info: 0.0 % of attempts failed (0/1280 in 2 s) < 1.0 %: climbing, rate 665.6 -> 1331.2 (ceiling 2000)",
    ]);
  });

  it("say ∞ for a ceiling that there is not, and reclimbing below 75 % of what failed", () => {
    const governed = new Governed({ start: 100 });
    governed.window(100, 0);
    governed.clean(1);
    expect(governed.texts[0]).toContain("starts at 100, ceiling ∞, floor 1");
    expect(governed.texts.at(-1)).toContain("reclimbing, concurrency 25 -> 37.5 (ceiling ∞)");
  });
});

describe("new ThrottleGovernor()", () => {
  it("opens with the floor, or with the start within its bounds", () => {
    expect(new Governed().control.commits).toEqual([1]);
    expect(new Governed({ start: 50, ceiling: 32 }).control.commits).toEqual([32]);
    expect(new Governed({ start: 1, floor: 2 }).control.commits).toEqual([2]);
  });

  it.each([
    [{ high: 1.5 }, "'high' must be a fraction from 0 to 1: current value is 1.5"],
    [{ high: Number.NaN }, "'high' must be a fraction from 0 to 1: current value is NaN"],
    [{ low: 0.06 }, "'low' must be a fraction from 0 to 'high', 0.05: current value is 0.06"],
    [{ floor: 0 }, "'floor' must be a finite number above 0: current value is 0"],
    [{ floor: 5, ceiling: 4 }, "'ceiling' must be a number of at least 'floor', 5: current value is 4"],
    [{ start: Number.POSITIVE_INFINITY }, "'start' must be a finite number: current value is Infinity"],
    [{ window: 0 }, "'window' must be seconds above 0: current value is 0"],
    [{ control: "fibres" as "rate" }, "'control' must be concurrency or rate: current value is fibres"],
  ])("refuses %o", (options, message) => {
    expect(() => new Governed(options)).toThrow(new RangeError(`Cannot create ThrottleGovernor as ${message}`));
  });
});
