import { describe, expect, it } from "vitest";
import { withCapacity } from "../../src/cli/session/capacity-conclusion.ts";
import { renderCapacity } from "../../src/report/capacity-text.ts";
import { displayWidth } from "../../src/report/display-width.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { governedTrial, SHARP_SEARCH, type WindowFacts } from "../support/governed-trial.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

function result(trials: readonly TrialResult[], overrides: Partial<Result> = {}): Result {
  const plan = { ...resultFixture(trials).plan, arrival: "constant" };
  return withCapacity({ ...resultFixture(trials, { command: "capacity", plan, ...overrides }) });
}

const text = (trials: readonly TrialResult[], overrides: Partial<Result> = {}): string =>
  renderCapacity(result(trials, overrides));
const sharp = governedTrial(SHARP_SEARCH);

describe("renderCapacity()", () => {
  it("begins with the verdict and the conclusion, then has the figures, the plot and the trace", () => {
    const lines = text([sharp]).split("\n");
    expect(lines[0]).toMatch(/^Valid measurement: The target takes 400 calls\/s/u);
    const order = ["  offer  ", "  goodput", "  failed ", "  knee", "  ended", "Latency of accepted", "Time "];
    const places = order.map((start) => lines.findIndex((line) => line.startsWith(start)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it("compresses the trace to one line for each stay at an offer", () => {
    const [, after = ""] = text([sharp]).split("\nTime");
    const trace = after.trimEnd().split("\n").slice(1);
    expect(trace).toHaveLength(11);
    expect(trace.at(-2)).toMatch(/^18\.\.20 s +512 +405 +21 % +12\.0 +20\.0 {2}cut$/u);
    expect(trace.at(-1)).toMatch(/^20\.\.44 s +405 +400 +1\.1 % +9\.00 +12\.0 {2}held$/u);
  });

  it("plots the latency so that a longer bar is a higher median", () => {
    const bars =
      text([sharp])
        .match(/█+/gu)
        ?.map((bar) => bar.length) ?? [];
    // 5 ms nine times, then 9 and 12.
    expect(bars).toHaveLength(11);
    expect(new Set(bars.slice(0, 9)).size).toBe(1);
    expect(bars[9]).toBeGreaterThan(bars[8] as number);
    expect(bars[10]).toBeGreaterThan(bars[9] as number);
  });

  it("takes a logarithmic scale, and says so, where the small latencies would vanish", () => {
    const far: WindowFacts[] = [
      { offer: 10, p50Ms: 1, p99Ms: 1 },
      { offer: 100, p50Ms: 900, p99Ms: 1000 },
    ];
    const plot = text([governedTrial(far, { ended: "duration" })]);
    expect(plot).toContain("(log)");
    for (const bar of plot.match(/█+/gu) ?? []) expect(bar.length).toBeGreaterThan(0);
    expect(plot.match(/█+/gu)).toHaveLength(2);
    expect(text([sharp])).not.toContain("(log)");
  });

  it("marks the offer from which on the median latency has doubled", () => {
    const windows = [10, 20, 40, 100].map((offer) => ({ offer })).concat([{ offer: 200 }, { offer: 300 }]);
    const grown = windows.map((facts) => ({ ...facts, p50Ms: facts.offer < 200 ? 5 : 30, p99Ms: 40 }));
    const plot = text([governedTrial(grown, { ended: "duration" })]);
    expect(plot.split("\n").filter((line) => line.startsWith(">"))).toEqual([expect.stringMatching(/^> +200 /u)]);
    expect(plot).toMatch(/knee +200\/s +from there on the median latency has doubled/u);
  });

  it("leaves out the middle of a long trace, and says how much", () => {
    const swing = Array.from({ length: 100 }, (_, index) => ({ offer: 100 + index }));
    expect(text([governedTrial(swing, { ended: "duration" })])).toContain("... 60 more ...");
  });

  it("has a line for each of several searches, and no trace", () => {
    const shown = text([sharp, governedTrial(SHARP_SEARCH, {}, { pair: 1 })]);
    expect(shown).toMatch(/search 1 +405 +400 +1\.1 % {2}12 windows within 15 %/u);
    expect(shown).toMatch(/search 2 /u);
    expect(shown).not.toContain("\nTime");
    expect(shown).toContain("Validity of the searches: 2 valid.");
  });

  it("says how it ended when it was not held", () => {
    const climb = [1, 2, 4].map((offer) => ({ offer }));
    expect(text([governedTrial(climb, { ended: "interrupted" })], { partial: true })).toMatch(/^PARTIAL: /u);
    expect(text([governedTrial(climb, { ended: "interrupted" })])).toContain("cut short, after 6 s");
    expect(text([governedTrial(climb, { ended: "duration" })])).toContain("the time was up, after 6 s");
    const aborted = {
      ...governedTrial(climb, { ended: "aborted" }),
      aborted: { atSeconds: 6, text: "errors 80 % for 5 s" },
    };
    const shown = text([aborted]);
    expect(shown).toContain("given up by a guard, after 6 s");
    expect(shown).toContain("Given up: errors 80 % for 5 s");
  });

  it("tells of calls at once for a closed loop, whole ones", () => {
    const windows = [1, 2, 4, 6.9].map((offer) => ({ offer }));
    const shown = text([governedTrial(windows, { control: "concurrency", ended: "duration", ceiling: 64 })]);
    expect(shown.replace(/\s+/gu, " ")).toContain("a closed loop of 1 calls at once to at most 64 calls at once");
    expect(shown).toMatch(/last offer +6 calls at once/u);
    expect(shown).not.toContain("6.9");
    expect(shown).not.toContain("offer/s");
  });

  it("says that there is nothing to tell when no window came to its end", () => {
    expect(text([governedTrial([], { ended: "interrupted" })])).toContain("no window of the governor came to its end");
  });

  it("is that of a run where no trial had a governor", () => {
    expect(text([trialFixture()])).toContain("Calls");
  });

  it("keeps within 80 columns, also with long names and large figures", () => {
    const reason = {
      code: "x",
      severity: "suspect",
      message: "m ".repeat(80),
      figure: 1,
      limit: 0,
      hint: "h ".repeat(80),
    } as const;
    const large = SHARP_SEARCH.map((facts) => ({
      ...facts,
      offer: facts.offer * 999,
      p50Ms: 123_456,
      p99Ms: 1_234_567,
    }));
    const trial = governedTrial(large, { ceiling: 1e6 }, { reasons: [reason], errors: { ECONNREFUSED: 1e9 } });
    for (const line of text([trial]).split("\n")) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    for (const line of text([trial, { ...trial, pair: 1 }]).split("\n"))
      expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  });
});
