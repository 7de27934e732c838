import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concludeCapacity } from "../../src/experiment/capacity-conclusion.ts";
import { kneeOf, kneeOfferOf } from "../../src/experiment/capacity-knee.ts";
import type { Capacity, Governed } from "../../src/result/governor-schema.ts";
import { capacitySchema } from "../../src/result/governor-schema.ts";
import type { Reason, TrialResult } from "../../src/result/schema.ts";
import { governedTrial, SHARP_SEARCH, type WindowFacts, windowRows } from "../support/governed-trial.ts";
import { trialFixture } from "../support/trial-fixture.ts";

const times = (count: number, facts: WindowFacts): WindowFacts[] => Array.from({ length: count }, () => facts);
const climb = (...offers: readonly number[]): WindowFacts[] => offers.map((offer) => ({ offer }));
const sharp = (facts: Parameters<typeof governedTrial>[2] = {}): TrialResult => governedTrial(SHARP_SEARCH, {}, facts);

function conclude(trials: readonly TrialResult[], arrival?: string): Capacity {
  const capacity = concludeCapacity(trials, arrival);
  expect(capacity).toBeDefined();
  return capacitySchema.parse(capacity);
}

const BAD: Reason = { code: "late", severity: "invalid", message: "m", figure: 1, limit: 0, hint: "h" };

describe("concludeCapacity() of a search that was held", () => {
  it("takes offer, goodput and failures from the windows at rest, and not from the climb or the breach", () => {
    const { offer, goodput, failedShare, held, saturated, failureBound } = conclude([sharp()]);
    expect(offer).toBeCloseTo(404.5, 6);
    expect(goodput).toBeCloseTo(400, 6);
    expect(failedShare).toBeCloseTo(0.011, 3);
    expect({ held, saturated, failureBound }).toEqual({ held: true, saturated: false, failureBound: 0.05 });
  });

  it("says the capacity with its interval, the bound that it belongs to and what was seen there", () => {
    const rest = Array.from({ length: 12 }, (_, index) => ({ offer: 404, failedShare: 0.005 + 0.01 * (index % 2) }));
    const { sentence, interval } = conclude([governedTrial([...climb(200, 400), ...rest])]);
    expect(interval).toMatchObject({ confidence: 0.95, windows: 12 });
    expect(interval?.low).toBeLessThan(interval?.high as number);
    expect(sentence).toMatch(
      /^The target takes 400 calls\/s \(95 % interval 39\d to 40\d\) where at most 5\.0 % of attempts may fail: at 404\/s offered, 1\.0 % of attempts failed\.$/u,
    );
  });

  it("counts windows that are like those before them as fewer", () => {
    const drift = Array.from({ length: 12 }, (_, index) => ({ offer: 400 + index, failedShare: 0.01 }));
    const { interval } = conclude([governedTrial(drift)]);
    expect(interval?.effectiveWindows).toBeLessThan(6);
  });

  it("has nothing to remark of an even load without retries on a sharp target", () => {
    expect(conclude([sharp()]).remarks).toEqual([]);
  });

  it("at the ceiling says that the target takes at least that", () => {
    const capacity = conclude([governedTrial([...climb(8, 16), ...times(12, { offer: 20 })], { ceiling: 20 })]);
    expect(capacity.sentence).toMatch(
      /^The target takes at least 20\.0 calls\/s .*: at the ceiling of the search, 20\/s offered, 0 % of attempts failed\.$/u,
    );
    expect(capacity.remarks.join(" ")).toContain("raise --max-rps");
  });

  it("at the ceiling, but where attempts fail as much as makes the offer hold, is a capacity like any other", () => {
    const windows = [...climb(200), ...times(12, { offer: 404, failedShare: 0.02 })];
    expect(conclude([governedTrial(windows, { ceiling: 404 })]).sentence).toMatch(/^The target takes 39/u);
  });
});

describe("concludeCapacity() where attempts fail whatever the load", () => {
  const resting = (below: readonly WindowFacts[]): Capacity =>
    conclude([governedTrial([...below, ...times(12, { offer: 400, failedShare: 0.02 })])]);

  it("finds no capacity among failures that are as many at lower offers, and says what to do", () => {
    const { held, uncaused, sentence, remarks } = resting(times(8, { offer: 200, failedShare: 0.02 }));
    expect({ held, uncaused }).toEqual({ held: false, uncaused: true });
    expect(sentence).toBe(
      "No capacity was found: 2.0 % of attempts failed at 400/s offered, and as many at much lower offers, so it is not the load that they fail of.",
    );
    expect(remarks.join(" ")).toContain("--governor high=..,low=.. with both above 2.0 %");
  });

  it("finds one where fewer fail at lower offers than chance has it", () => {
    const { held, uncaused } = resting(times(8, { offer: 200, failedShare: 0.005 }));
    expect({ held, uncaused }).toEqual({ held: true, uncaused: undefined });
  });

  it("says that it cannot tell where hardly anything was sent at lower offers", () => {
    const { held, remarks } = resting(times(2, { offer: 20 }));
    expect(held).toBe(true);
    expect(remarks.join(" ")).toContain("Few attempts were made at lower offers");
  });
});

describe("concludeCapacity() of a search that was not", () => {
  it("calls what fails more than the bound allows a saturation artefact, and no capacity", () => {
    const capacity = conclude([governedTrial(times(15, { offer: 1, failedShare: 0.5 }), { ended: "duration" })]);
    expect(capacity.saturated).toBe(true);
    expect(capacity.sentence).toMatch(
      /^No capacity was found: 50 % of attempts failed .* saturation artefact, not a capacity\.$/u,
    );
    expect(capacity.remarks.join(" ")).toContain("at its floor");
  });

  it("gives the last windows that were alike, not the whole climb, when it ended while climbing", () => {
    const capacity = conclude([governedTrial(climb(1, 2, 4, 8, 16, 32), { ended: "interrupted" })]);
    expect(capacity.held).toBe(false);
    expect(capacity.offer).toBe(32);
    expect(capacity.interval).toBeNull();
    expect(capacity.sentence).toContain(
      "ended by hand after 12 s, before the offer came to rest: up to 32/s offered the load was served (32.0 calls/s ok, 0 % of attempts failed).",
    );
  });

  it("says how to come to rest when the time was up", () => {
    const swing = Array.from({ length: 30 }, (_, index) => ({ offer: index % 2 === 0 ? 300 : 400 }));
    const capacity = conclude([governedTrial(swing, { ended: "duration" })]);
    expect(capacity.sentence).toContain("The search found no rest in 60 s");
    expect(capacity.remarks.join(" ")).toContain("give it longer (--duration)");
  });

  it("says up to where the load was served, and what was the most, when it overshot again and again", () => {
    const swing = [256, 400, 503, 1000, 30].map((offer) => ({ offer }));
    const trial = governedTrial(swing, { ended: "duration" });
    const windows = (trial.governor?.windows ?? []).map((row) => ({ ...row, ok: Math.min(row.ok, 820) }));
    const overshot = { ...trial, governor: { ...(trial.governor as Governed), windows } };
    expect(conclude([overshot]).sentence).toBe(
      "The search found no rest in 10 s: up to 400/s offered the load was served (400 calls/s ok, 0 % of attempts failed), the most that came back ok were 410 calls/s, at 503/s offered.",
    );
  });

  it("counts whole calls at once", () => {
    const windows = [1, 2, 4.5, 6.9].map((offer) => ({ offer }));
    const capacity = conclude([governedTrial(windows, { control: "concurrency", ended: "duration" })]);
    expect(capacity.knee.map(({ offer }) => offer)).toEqual([1, 2, 4, 6]);
    expect(capacity.sentence).toContain("up to 6 calls at once the load was served");
  });

  it("says that a guard ended it", () => {
    expect(conclude([governedTrial(climb(1, 2), { ended: "aborted" })]).sentence).toContain(
      "ended by a guard after 4 s",
    );
  });

  it("is nothing without a window, or without a governor", () => {
    expect(concludeCapacity([governedTrial([], { ended: "interrupted" })])).toBeUndefined();
    expect(concludeCapacity([trialFixture()])).toBeUndefined();
    expect(concludeCapacity([])).toBeUndefined();
  });
});

describe("concludeCapacity() of several searches", () => {
  const at = (goodput: number, pair: number): TrialResult =>
    governedTrial([...climb(100), ...times(12, { offer: goodput / 0.98, failedShare: 0.02 })], {}, { pair });

  it("gives their mean, with Student's interval between them", () => {
    const { goodput, interval, sentence } = conclude([at(390, 0), at(400, 1), at(410, 2)]);
    expect(goodput).toBeCloseTo(400, 0);
    // t(0.975, 2) = 4.303, 10 / sqrt(3) = 5.77.
    expect(interval?.high).toBeCloseTo(goodput + 4.303 * 5.77, 0);
    expect(interval).toMatchObject({ effectiveWindows: 3, windows: 36 });
    expect(sentence).toContain("over 3 searches");
  });

  it("leaves out those that are invalid, and says so", () => {
    const invalid = governedTrial(climb(1, 2), { ended: "held" }, { pair: 1, reasons: [BAD] });
    const capacity = conclude([at(400, 0), invalid]);
    expect(capacity.goodput).toBeCloseTo(400, 0);
    expect(capacity.remarks).toContain("1 of 2 searches are invalid or cut short, and left out.");
  });

  it("takes invalid ones where there are no others, with a warning", () => {
    const capacity = conclude([sharp({ reasons: [BAD] })]);
    expect(capacity.goodput).toBeCloseTo(400, 6);
    expect(capacity.remarks[0]).toMatch(/^The trial is invalid/u);
  });

  it("leaves out one that was cut short, as its climb says nothing", () => {
    const cut = governedTrial(climb(1, 2, 4), { ended: "interrupted" }, { pair: 1 });
    const capacity = conclude([at(400, 0), cut]);
    expect(capacity).toMatchObject({ held: true, saturated: false });
    expect(capacity.goodput).toBeCloseTo(400, 0);
    expect(capacity.remarks[0]).toContain("cut short, and left out");
  });

  it("is held only if all of them were", () => {
    const open = governedTrial(times(12, { offer: 400 }), { ended: "duration" }, { pair: 1 });
    const capacity = conclude([at(400, 0), open]);
    expect(capacity.held).toBe(false);
    expect(capacity.goodput).toBeCloseTo(400, 0);
    expect(capacity.sentence).toContain("1 of 2 searches found no rest");
  });
});

describe("the remarks of a capacity", () => {
  const remarks = (windows: readonly WindowFacts[], governed = {}, facts = {}, arrival?: string): string =>
    conclude([governedTrial(windows, governed, facts)], arrival).remarks.join(" ");

  it("explain why random arrivals settle lower", () => {
    expect(remarks(SHARP_SEARCH, {}, {}, "poisson")).toContain("Random arrivals are turned away below the capacity");
    expect(remarks(SHARP_SEARCH, {}, {}, "poisson")).toContain("0.92 C");
  });

  it("say what a closed loop does not show", () => {
    expect(remarks(times(12, { offer: 6 }), { control: "concurrency", high: 0.2 })).toContain("closed loop");
  });

  it("say that the first offer was above the capacity", () => {
    const windows = [{ offer: 1000, failedShare: 0.6 }, ...times(12, { offer: 404, failedShare: 0.011 })];
    expect(remarks(windows, { start: 1000 })).toContain("very first offer was too much");
    expect(remarks(SHARP_SEARCH)).not.toContain("very first");
  });

  it("say that the offer still rose when so few windows were asked for that it was held", () => {
    const windows = [{ offer: 160, failedShare: 0.4 }, ...climb(68, 70, 72, 74, 76, 78)];
    expect(remarks(windows, { holdWindows: 6 })).toContain("still rising within the band");
    expect(remarks(SHARP_SEARCH)).not.toContain("still rising");
  });

  it("say that retries make another load of the offer", () => {
    const windows = times(12, { offer: 300, sentPerCall: 1.4, failedShare: 0.02 });
    expect(remarks(windows, {}, { policy: { name: "retry", options: { maxAttempts: 3 } } })).toContain(
      "(retry,maxAttempts=3) sent 1.40 attempts a call",
    );
  });

  it("say that a window is too short to tell chance from overload", () => {
    expect(remarks(times(12, { offer: 4 }))).toContain("A window of 2 s saw 8.00 attempts");
  });

  it("say that latency has grown well before attempts fail", () => {
    const windows = [
      ...climb(10, 20, 40),
      ...climb(100, 200, 390).map((w) => ({ ...w, p50Ms: 40 })),
      ...times(12, { offer: 404, failedShare: 0.02, p50Ms: 80 }),
    ];
    expect(remarks(windows)).toContain("has doubled from 100/s offered on");
  });
});

describe("kneeOf()", () => {
  it("keeps each offer of the climb apart, and takes offers near the wall together", () => {
    const knee = kneeOf([{ control: "rate", windows: windowRows([...climb(100, 200, 400), ...climb(410, 405, 418)]) }]);
    expect(knee.map(({ windows }) => windows)).toEqual([1, 1, 4]);
    expect(knee.at(-1)?.offer).toBeCloseTo(408.25, 6);
  });

  it("leaves out a window after a cut, which still serves what came before, where there are others of its offer", () => {
    const cut = windowRows([
      { offer: 800, failedShare: 0.5 },
      { offer: 400, p50Ms: 500 },
      { offer: 400, p50Ms: 10 },
    ]);
    expect(kneeOf([{ control: "rate", windows: cut }])[0]).toMatchObject({ offer: 400, p50Ms: 10, windows: 1 });
    expect(kneeOf([{ control: "rate", windows: cut.slice(0, 2) }])[0]).toMatchObject({ offer: 400, p50Ms: 500 });
  });

  it("leaves out those that follow it too, as long as more ends in them than comes", () => {
    const rows = windowRows([{ offer: 800, failedShare: 0.5 }, ...[400, 401, 402, 403].map((offer) => ({ offer }))]);
    const p50s = [900, 500, 200, 10, 12];
    const draining = rows.map((row, index) => ({
      ...row,
      ok: row.ok + (index === 2 ? 30 : 0),
      p50Ms: p50s[index] ?? 0,
    }));
    expect(kneeOf([{ control: "rate", windows: draining }])[0]).toMatchObject({ windows: 2, p50Ms: 11 });
  });

  it("loses no window in which attempts ended but those, and rises in its offers", () => {
    const window = fc.record({
      offer: fc.double({ min: 1, max: 1000, noNaN: true }),
      failedShare: fc.double({ min: 0, max: 0.04, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(window, { maxLength: 40 }), (facts) => {
        const knee = kneeOf([{ control: "rate", windows: windowRows(facts) }]);
        expect(knee.reduce((sum, { windows }) => sum + windows, 0)).toBe(facts.length);
        const offers = knee.map(({ offer }) => offer);
        expect(offers).toEqual(offers.toSorted((a, b) => a - b));
      }),
    );
  });

  it("passes over windows in which no attempt ended", () => {
    expect(kneeOf([{ control: "rate", windows: windowRows([{ offer: 0.1 }, { offer: 10 }]) }])).toHaveLength(1);
  });
});

describe("kneeOfferOf()", () => {
  const kneeOffer = (...points: readonly (readonly [number, number | null])[]): number | null =>
    kneeOfferOf(kneeOf([{ control: "rate", windows: windowRows(points.map(([offer, p50Ms]) => ({ offer, p50Ms }))) }]));

  it("is where the median latency has doubled for good", () => {
    expect(kneeOffer([10, 5], [20, 5], [100, 6], [200, 9], [300, 11], [400, 30])).toBe(300);
  });

  it("is none where it has not, where it went down again, and where latency takes no time at all", () => {
    expect(kneeOffer([10, 5], [100, 6], [400, 9])).toBeNull();
    expect(kneeOffer([10, 5], [100, 50], [400, 9])).toBeNull();
    expect(kneeOffer([10, 0], [100, 0], [400, 9])).toBeNull();
    expect(kneeOffer([10, null], [400, null])).toBeNull();
    expect(kneeOffer()).toBeNull();
  });
});
