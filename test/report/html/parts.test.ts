import { describe, expect, it } from "vitest";
import { commandLine, shellFile } from "../../../src/report/command-line.ts";
import { shorten } from "../../../src/report/html/arm-name.ts";
import { armSeries, binSeconds, lengthSeconds } from "../../../src/report/html/arm-series.ts";
import { createIds } from "../../../src/report/html/ids.ts";
import { ARM_COLOURS, OUTCOME_COLOURS } from "../../../src/report/html/palette.ts";
import { curveOf, pointAt } from "../../../src/report/html/percentile-curve.ts";
import { shareOfOdds } from "../../../src/report/html/percentile-plot.ts";
import { linearScale, logScale } from "../../../src/report/html/scales.ts";
import { changesOf } from "../../../src/report/html/script-marks.ts";
import { chooseAxis, drawnAxis } from "../../../src/report/html/sweep-axis.ts";
import type { Sweep } from "../../../src/result/sweep-schema.ts";
import { warmed } from "../../support/trial-cases.ts";
import { latencyFixture, trialFixture } from "../../support/trial-fixture.ts";

describe("armSeries()", () => {
  const trials = [
    trialFixture({ calls: { ok: 1000 }, durationSeconds: 4 }),
    trialFixture({ calls: { ok: 2000 }, durationSeconds: 4 }),
    trialFixture({ calls: { ok: 6000 }, durationSeconds: 4 }),
  ];

  it("armSeries() is the median of the trials, and the least and the most of them", () => {
    const [first] = armSeries(trials, 1, 4);
    expect(first?.of("ok")).toEqual({ median: 500, min: 250, max: 1500 });
  });

  it("armSeries() draws several seconds as their mean", () => {
    const bins = armSeries(trials, 3, 4);
    expect(bins.map(({ second, seconds }) => [second, seconds])).toEqual([
      [0, 3],
      [3, 1],
    ]);
    expect(bins[1]?.of("ok")?.median).toBe(500);
  });

  it("armSeries() knows no rate of calls after the load, but what is sent then", () => {
    const bins = armSeries(trials, 1, 6);
    expect(bins[5]?.of("ok")).toBeUndefined();
    expect(bins[5]?.of("sentInSecond")?.median).toBe(0);
  });

  it("armSeries() knows nothing of what a trial that was cut short did not reach", () => {
    const cut = trialFixture({ calls: { ok: 1000 }, durationSeconds: 4, interrupted: true });
    expect(armSeries([cut], 1, 6)[5]?.of("sentInSecond")).toBeUndefined();
  });

  it("binSeconds() needs no more bins than it may", () => {
    expect(binSeconds(trials, 300)).toBe(1);
    expect(binSeconds(trials, 3)).toBe(2);
    expect(lengthSeconds(trials)).toBe(4);
  });
});

describe("changesOf()", () => {
  it("changesOf() reads a script in seconds of the trial, warm-up included, in order of time", () => {
    const trial = { ...warmed(), script: "2s..4s:capacity=0.25,1m30s..:outage,250ms..1s:latency=100ms@2" };
    expect(changesOf(trial)).toEqual([
      { from: 5.25, to: 6, what: "latency=100ms@2" },
      { from: 7, to: 9, what: "capacity=0.25" },
      { from: 95, to: undefined, what: "outage" },
    ]);
  });

  it("changesOf() of a script that it cannot read is nothing", () => {
    expect(changesOf({ ...warmed(), script: "soon..later:outage,x,..:,1s" })).toEqual([]);
  });
});

describe("curveOf()", () => {
  it("curveOf() marks the largest values as bounds, as many as were censored", () => {
    const bins = Array.from({ length: 100 }, (_, index) => ({ lowMicros: index, highMicros: index, count: 1 }));
    const curve = curveOf([latencyFixture(100, 0.01, 0.05, 0.1, 10)], () => ({ bins, buckets: 1, subBuckets: 1 }));
    const bounds = (share: number): boolean | undefined =>
      curve === undefined ? undefined : pointAt(curve, share)?.lowerBound;
    expect([0.5, 0.9, 0.95, 1].map(bounds)).toEqual([false, false, true, true]);
    expect(curve?.points.at(-1)).toEqual({ share: 1, valueMs: 0.1, odds: 100, lowerBound: true });
  });

  it("curveOf() goes through the medians of what trials stored where nothing reads histograms", () => {
    const curve = curveOf([latencyFixture(500, 1, 2, 3), latencyFixture(500, 3, 4, 5), undefined], undefined);
    expect(curve?.count).toBe(1000);
    expect(curve === undefined ? undefined : pointAt(curve, 0.5)?.valueMs).toBe(2);
  });

  it("curveOf() of no values is none", () => {
    expect(curveOf([latencyFixture(0, 0, 0, 0), undefined], undefined)).toBeUndefined();
  });
});

describe("scales", () => {
  it("shareOfOdds() writes the nines of an axis", () => {
    expect([2, 10, 100, 1000, 10_000, 100_000].map(shareOfOdds)).toEqual([
      "50%",
      "90%",
      "99%",
      "99.9%",
      "99.99%",
      "99.999%",
    ]);
  });

  it("linearScale() of a single value can be drawn", () => {
    expect(Number.isFinite(linearScale([0, 0], [0, 100]).at(0))).toBe(true);
  });

  it("logScale() has at least three ticks whatever the span, and draws smaller values at its end", () => {
    for (const domain of [
      [1, 1e6],
      [3, 40],
      [0.9, 1.1],
      [95, 105],
    ] as const) {
      expect(logScale(domain, [0, 100]).ticks.length).toBeGreaterThanOrEqual(1);
      expect(logScale(domain, [0, 100]).at(0)).toBe(0);
    }
    expect(logScale([1, 1000], [0, 90]).ticks).toEqual([1, 10, 100, 1000]);
  });

  it("chooseAxis() takes K before other numbers, numbers before names", () => {
    const axis = (name: string, ...values: string[]): Sweep["axes"][number] => ({ name, of: "policy", values });
    const sweep = (...axes: Sweep["axes"]): Sweep => ({ axes, cells: [], limits: [], recommendations: [] });
    expect(chooseAxis(sweep(axis("rps", "1", "2", "3"), axis("k", "1.1", "2")))?.name).toBe("k");
    expect(chooseAxis(sweep(axis("policy", "a", "b", "c"), axis("window", "10s", "20s")))?.name).toBe("window");
    expect(chooseAxis(sweep(axis("policy", "a", "b"), axis("k", "2")))?.name).toBe("policy");
  });

  it("drawnAxis() sets numbers by how much they are, and mixed units by their order", () => {
    const numbers = drawnAxis({ name: "k", of: "policy", values: ["1", "2", "4"] });
    const [one, two, four] = ["1", "2", "4"].map((value) => numbers.scale.at(numbers.place(value))) as [
      number,
      number,
      number,
    ];
    expect((four - two) / (two - one)).toBeCloseTo(2);
    expect(drawnAxis({ name: "window", of: "policy", values: ["10s", "1m"] }).numeric).toBe(false);
  });
});

describe("names", () => {
  it("createIds() gives no name twice", () => {
    const ids = createIds();
    expect([ids("plot"), ids("plot"), ids("table"), ids("plot")]).toEqual(["plot", "plot-2", "table", "plot-3"]);
  });

  it("shorten() counts characters, not halves of them", () => {
    expect(shorten("😀😀😀", 3)).toBe("😀😀😀");
    expect(shorten("😀😀😀😀", 3)).toBe("😀😀…");
  });

  it("commandLine() quotes what a shell would read, and writes switches as such", () => {
    const flags = { rps: "300", arm: ["off:policy=none", "a b'c"], pin: false, insecure: true };
    expect(commandLine({ command: "ab", flags, redacted: [] })).toBe(
      `overload-bench ab --rps 300 --arm off:policy=none --arm 'a b'\\''c' --no-pin --insecure`,
    );
    expect(shellFile("-rf $(x).json")).toBe("'./-rf $(x).json'");
  });
});

describe("colours", () => {
  const PAGES = ["#ffffff", "#12161c"] as const;

  it.each(ARM_COLOURS.map((pair) => ({ pair })))(
    "the colours $pair of an arm stand out from the page by 3:1 at least",
    ({ pair }) => {
      for (const side of [0, 1] as const) expect(contrast(pair[side], PAGES[side])).toBeGreaterThan(3);
    },
  );

  it.each(Object.entries(OUTCOME_COLOURS))("the share on the colour of '%s' can be read: 4.5:1 at least", (_, pair) => {
    for (const side of [0, 1] as const) expect(contrast(pair[side], PAGES[side])).toBeGreaterThan(4.5);
  });
});

/** WCAG 2, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio. */
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const channel = (place: number): number => {
    const value = Number.parseInt(colour.slice(place, place + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}
