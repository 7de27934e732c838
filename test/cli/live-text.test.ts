import { describe, expect, it } from "vitest";
import { governorSpec } from "../../src/cli/flags/governor-flag.ts";
import { cutText } from "../../src/cli/live/cut-text.ts";
import { LiveExperiment, type LiveLayout } from "../../src/cli/live/live-experiment.ts";
import { liveLine, liveRows, rowText } from "../../src/cli/live/live-text.ts";
import { painter } from "../../src/cli/live/paint.ts";
import { sparkline } from "../../src/cli/live/sparkline.ts";
import { gainOfLine } from "../../src/engine/journal-line.ts";
import { LiveTrial } from "../../src/engine/live-trial.ts";
import type { TrialProgress } from "../../src/engine/trial-spec.ts";
import { displayWidth } from "../../src/report/display-width.ts";
import type { Comparison } from "../../src/result/comparison-schema.ts";
import { type WindowFacts, windowRows } from "../support/governed-trial.ts";
import { journalSecond } from "../support/live-fixture.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";
import { trialSpec } from "../support/trial-spec.ts";

const PROGRESS: TrialProgress = {
  elapsedSeconds: 14,
  planned: 1400,
  ok: 480,
  throttled: 850,
  failed: 70,
  attempts: 700,
  inFlight: 12,
  latenessP99Ms: 0.31,
};

const COMPARISON: Comparison = {
  baseline: "off",
  alpha: 0.05,
  smallestEffect: 0.05,
  arms: [],
  contrasts: [
    {
      arm: "on",
      baseline: "off",
      pairs: [0, 1],
      metrics: [
        {
          metric: "goodput",
          effect: "ratio",
          better: "higher",
          baseline: 320,
          arm: 689,
          effects: [2.1, 2.2],
          estimate: 2.15,
          pValue: null,
          adjustedPValue: null,
          detectable: null,
          verdict: "undecided",
        },
      ],
      suggestedPairs: null,
      sentence: "",
    },
  ],
  conclusion: "",
};

/** A clock that the test sets. */
class Clock {
  ms = 5000;
  readonly now = (): number => this.ms;
}

function layout(arms: readonly string[], pairs: number, seconds = 30): LiveLayout {
  return { arms: arms.map((name) => ({ name, seconds })), pairs };
}

/** `on`, pair 3 of 6, 14 of 30 s; two pairs have ended. */
function underWay(label = "on (pair 3 of 6)", clock = new Clock()): LiveExperiment {
  const live = new LiveExperiment(clock.now);
  const trial = new LiveTrial({ ...trialSpec(), arm: "on", pair: 2, world: { kind: "real" } });
  live.planned(layout(["off", "on"], 6), []);
  live.begin(label, 30, trial);
  for (let second = 1; second <= 14; second += 1) trial.add(gainOfLine(journalSecond(second)));
  live.update(PROGRESS);
  const trials = [0, 1].flatMap((pair) => [
    trialFixture({ arm: "off", pair, calls: { ok: 3200, failed: 6800 } }),
    trialFixture({ arm: "on", pair, calls: { ok: 6890, throttled: 3110 } }),
  ]);
  live.ended({ ...resultFixture(trials, { command: "ab", partial: true }), comparison: COMPARISON });
  return live;
}

const text = (live: LiveExperiment, columns: number, rows = 40): string[] =>
  liveRows(live, columns, rows).map((row) => rowText(row, (_style, plain) => plain));

describe("liveRows()", () => {
  it("says on 80 columns what runs, how it goes, and what came of the pairs before", () => {
    expect(`\n${text(underWay(), 77).join("\n")}\n`).toMatchInlineSnapshot(`
      "
      on (pair 3 of 6) · 14/30 s · 16 s left
      experiment  4/12 trials · about 3 min 46 s left
      rates       offered 100/s · goodput 34.0/s · sent 44.0/s
      goodput     ██████████████ up to 34.0/s
      calls       ok 34 % · throttled 61 % · failed 5.0 %
      response    ok p99 43.0 ms · last 5 s 43.0 ms · p50 26.0 ms
      generator   lateness p99 0.31 ms · 12 in flight · 9 connections at the peak
      verdict     valid so far
      goodput of             off      on
                  pair 1   320/s   689/s
                  pair 2   320/s   689/s
      so far      goodput on/off 2.15x · 2.10x to 2.20x · 2 pairs
      "
    `);
  });

  it("shows the offer of a governor and what became of it, as of its last window", () => {
    const governor = governorSpec(undefined, undefined);
    const trial = new LiveTrial({ ...trialSpec(), governor, world: { kind: "real" } });
    const live = new LiveExperiment(new Clock().now);
    live.begin("none", 180, trial);
    const told = (windows: readonly WindowFacts[]): void =>
      trial.add({ ...gainOfLine(journalSecond(1)), governed: { windows: windowRows(windows), events: [] } });
    told([{ offer: 320 }, { offer: 640, failedShare: 0.375 }]);
    expect(text(live, 77)).toContain("offer       640/s offer · 38 % of attempts failed");
    // A second without a window.
    trial.add(gainOfLine(journalSecond(2)));
    expect(liveLine(live)).toContain("640/s offer, 38 % of attempts failed");
    told([{ offer: 400 }]);
    expect(text(live, 77)).toContain("offer       400/s offer · 0 % of attempts failed");
  });

  it("says on 40 columns as much of it as there is room for, without labels", () => {
    expect(`\n${text(underWay(), 37).join("\n")}\n`).toMatchInlineSnapshot(`
      "
      on (pair 3 of 6) · 14/30 s
      4/12 trials · about 3 min 46 s left
      offered 100/s · goodput 34.0/s
      ██████████████ up to 34.0/s
      ok 34 % · throttled 61 %
      ok p99 43.0 ms · last 5 s 43.0 ms
      lateness p99 0.31 ms · 12 in flight
      valid so far
                 off      on
      pair 1   320/s   689/s
      pair 2   320/s   689/s
      goodput on/off 2.15x · 2.10x to 2.20x
      "
    `);
  });

  it.each([10, 20, 37, 59, 60, 77, 200])(
    "has no line wider than %i columns, whatever the arms are called",
    (columns) => {
      for (const label of ["on (pair 3 of 6)", "過負荷制御".repeat(20), "x".repeat(300), "e\u0301".repeat(100)]) {
        for (const line of text(underWay(label), columns)) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }
    },
  );

  it("has no more rows than there are", () => {
    for (const rows of [1, 3, 6]) expect(text(underWay(), 77, rows)).toHaveLength(rows);
  });

  it("shows the time in the first line, however long the name is", () => {
    expect(text(underWay("x".repeat(300)), 60)[0]).toMatch(/^x+… · 14\/30 s$/);
  });

  it("says that a trial has ended while the next one waits for the target", () => {
    const live = underWay();
    live.ended(resultFixture([trialFixture({ arm: "on", pair: 2 })], { command: "ab", partial: true }));
    expect(text(live, 77)[0]).toBe("on (pair 3 of 6) · ended");
  });

  it("shows simulations by how far they are", () => {
    const live = new LiveExperiment(() => 0);
    live.planned(layout(["off", "on"], 3), []);
    live.begin("6 trials, 2 at a time", 0, undefined);
    live.simulated("1 of 6 trials · 27 % · 9 s left");
    expect(text(live, 77)).toEqual(["6 trials, 2 at a time", "simulated   1 of 6 trials · 27 % · 9 s left"]);
    expect(liveLine(live)).toBe("6 trials, 2 at a time  1 of 6 trials · 27 % · 9 s left");
  });

  it("lists the last trials that ended where the arms of a sweep do not fit beside each other", () => {
    const arms = Array.from({ length: 20 }, (_, index) => `k=${index}`);
    const live = new LiveExperiment(() => 0);
    live.planned(layout(arms, 2), []);
    live.begin("k=7 (pair 1 of 2)", 30, new LiveTrial({ ...trialSpec(), arm: "k=7", world: { kind: "real" } }));
    live.ended(
      resultFixture(
        arms.slice(0, 7).map((arm) => trialFixture({ arm })),
        { command: "ab", partial: true },
      ),
    );
    const lines = text(live, 77);
    expect(lines.filter((line) => /k=\d, pair 1/.test(line))).toHaveLength(5);
    expect(lines.join("\n")).toContain("k=6, pair 1");
    expect(lines.join("\n")).not.toContain("k=1, pair 1");
  });

  it("colours nothing where NO_COLOR is set, and labels and bad verdicts elsewhere", () => {
    const rows = liveRows(underWay(), 77, 40);
    const painted = (env: Record<string, string>): string => rows.map((row) => rowText(row, painter(env))).join("\n");
    expect(painted({ NO_COLOR: "1" })).not.toContain("\u001b");
    expect(painted({ NO_COLOR: "" })).toContain("\u001b[2mrates");
    expect(rowText({ label: "verdict", text: "invalid so far", tone: "invalid" }, painter({}))).toContain(
      "\u001b[31minvalid so far\u001b[39m",
    );
  });
});

describe("liveLine()", () => {
  it("says the same in one line", () => {
    expect(liveLine(underWay())).toMatchInlineSnapshot(
      `"on (pair 3 of 6)  14/30 s, 16 s left · 4/12 trials, about 3 min 46 s left · offered 100/s, goodput 34.0/s, sent 44.0/s · ok 34 %, throttled 61 %, failed 5.0 % · response ok p99 43.0 ms, last 5 s 43.0 ms, p50 26.0 ms · lateness p99 0.31 ms, 12 in flight, 9 connections at the peak · valid so far · goodput on/off 2.15x, 2.10x to 2.20x, 2 pairs"`,
    );
  });
});

describe("liveRows() of a trial without an account by the second", () => {
  it("shows mean rates and the outcomes that are counted anyway", () => {
    const live = new LiveExperiment(() => 0);
    live.begin("Looking for this generator's ceiling", 30, undefined);
    live.update(PROGRESS);
    expect(text(live, 77)).toEqual([
      "Looking for this generator's ceiling · 14/30 s · 16 s left",
      "rates       offered 100/s · goodput 34.3/s · sent 50.0/s",
      "calls       ok 34 % · throttled 61 % · failed 5.0 %",
      "generator   lateness p99 0.31 ms · 12 in flight",
    ]);
  });
});

describe("LiveExperiment", () => {
  it("counts the time left by what is planned, and by what passed between the trials before", () => {
    const clock = new Clock();
    const live = new LiveExperiment(clock.now);
    live.planned(layout(["off", "on"], 2), []);
    const begin = (arm: string, pair: number): void =>
      live.begin(arm, 30, new LiveTrial({ ...trialSpec(), arm, pair, world: { kind: "real" } }));
    begin("off", 0);
    expect(live.secondsLeft).toBe(120);
    live.update({ ...PROGRESS, elapsedSeconds: 10 });
    expect(live.secondsLeft).toBe(110);
    clock.ms += 34_000;
    live.ended(resultFixture([trialFixture({ arm: "off" })], { command: "ab", partial: true }));
    begin("on", 0);
    expect(live.secondsLeft).toBe(30 + 2 * 34);
  });

  it("does not count again the trials that ended before a run was resumed", () => {
    const live = new LiveExperiment(() => 0);
    live.planned(layout(["off", "on"], 2), [trialFixture({ arm: "off" }), trialFixture({ arm: "on" })]);
    live.begin("off", 30, new LiveTrial({ ...trialSpec(), arm: "off", pair: 1, world: { kind: "real" } }));
    expect(live.count).toEqual({ ended: 2, all: 4 });
    expect(live.secondsLeft).toBe(60);
  });
});

describe("cutText()", () => {
  it("counts wide characters twice and combining ones not at all", () => {
    expect(cutText("過負荷", 6)).toBe("過負荷");
    expect(cutText("過負荷", 5)).toBe("過負…");
    expect(cutText("過負荷", 4)).toBe("過…");
    expect(cutText("e\u0301e\u0301", 2)).toBe("e\u0301e\u0301");
    expect(cutText("abc", 0)).toBe("");
  });

  it("lets nothing through that moves a cursor", () => {
    expect(cutText("a\u001b[2Jb\u0007c\r\nd\u009be", 20)).not.toMatch(/\p{Cc}/u);
  });
});

describe("sparkline()", () => {
  it("goes from nothing to the largest value", () => {
    expect(sparkline([0, 1, 4, 6, 8])).toBe("▁▂▅▇█");
    expect(sparkline([0, 0])).toBe("▁▁");
  });
});
