import fc from "fast-check";
import { decodeFromCompressedBase64, HistogramLogReader, listTags } from "hdr-histogram-js";
import { describe, expect, it } from "vitest";
import { decodeBins, LatencyHistogram } from "../../../src/engine/histogram.ts";
import { renderHgrm } from "../../../src/report/export/hgrm.ts";
import { hgrmTexts } from "../../../src/report/export/hgrm-texts.ts";
import { renderHlog } from "../../../src/report/export/hlog.ts";
import { percentileSteps } from "../../../src/report/export/percentile-steps.ts";
import type { LatencySummary, Result, TrialResult } from "../../../src/result/schema.ts";
import { resultFixture, trialFixture } from "../../support/trial-fixture.ts";
import { hostileResult, hostileText } from "./hostile.ts";

const summaryOf = (values: readonly number[]): LatencySummary => {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.record(value);
  return histogram.summary();
};

const seconds = fc.oneof(
  fc.double({ min: 0, max: 0.01, noNaN: true }),
  fc.double({ min: 0, max: 4000, noNaN: true }),
  fc.constant(0),
);

const trial = (arm: string, pair: number, values: readonly number[]): TrialResult => ({
  ...trialFixture({
    arm,
    pair,
    response: { ok: summaryOf(values) },
    service: {},
    wait: summaryOf([]),
    lateness: summaryOf([]),
  }),
  startedAt: `2026-01-02T03:0${pair}:05.250Z`,
});

const TWO: Result = resultFixture([
  trial("off", 0, [0.1, 0.2]),
  trial("on", 0, [0.3]),
  trial("on", 1, [0.4, 0.5]),
  trial("off", 1, [0.6]),
]);
const OPTIONS = { decode: decodeBins, histogram: "response.ok", arm: undefined };

describe("renderHgrm()", () => {
  it("renderHgrm() is what HdrHistogram's outputPercentileDistribution writes of the same values", () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 400 }), (values) => {
        const { hdr } = summaryOf(values);
        const own = renderHgrm(decodeBins([hdr]));
        const original = decodeFromCompressedBase64(hdr, 64).outputPercentileDistribution(5, 1000);
        expect(own).toBe(original);
      }),
      { numRuns: 60 },
    );
  });

  it("renderHgrm() of nothing has a head, no rows and zeros", () => {
    const text = renderHgrm(decodeBins([]));
    expect(text.split("\n")[0]).toBe("       Value     Percentile TotalCount 1/(1-Percentile)");
    expect(text).toContain("Total count    =            0]");
  });

  it("percentileSteps() of several distributions are those of all their values", () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1 }), fc.array(seconds, { minLength: 1 }), (some, others) => {
        const apart = percentileSteps(decodeBins([summaryOf(some).hdr, "", summaryOf(others).hdr]));
        expect(apart).toEqual(percentileSteps(decodeBins([summaryOf([...some, ...others]).hdr])));
        expect(apart.at(-1)).toMatchObject({ share: 1, total: some.length + others.length });
      }),
      { numRuns: 40 },
    );
  });
});

describe("hgrmTexts()", () => {
  it("hgrmTexts() merges the trials of an arm, and gives each arm a text", () => {
    const texts = hgrmTexts([{ name: "a.json", result: TWO }], OPTIONS);
    expect(texts.map(({ part }) => part)).toEqual(["off", "on"]);
    for (const { text } of texts) expect(text).toContain("Total count    =            3]");
    expect(hgrmTexts([{ name: "a.json", result: TWO }], { ...OPTIONS, arm: "on" }).map(({ part }) => part)).toEqual([
      "",
    ]);
  });

  it("hgrmTexts() says which distributions and arms there are when asked for another", () => {
    const results = [{ name: "a.json", result: TWO }];
    expect(() => hgrmTexts(results, { ...OPTIONS, histogram: "wait" })).toThrow(
      "no trial has values of 'wait': there are response.ok",
    );
    expect(() => hgrmTexts(results, { ...OPTIONS, arm: "x" })).toThrow("there is no arm 'x': the arms are off, on");
  });
});

describe("renderHlog()", () => {
  it("renderHlog() is read back by HdrHistogram's log reader: tags, times, and every value", () => {
    const log = renderHlog([{ name: "a.json", result: TWO }]);
    expect(listTags(log)).toEqual(["off.1.response.ok", "on.1.response.ok", "on.2.response.ok", "off.2.response.ok"]);
    const reader = new HistogramLogReader(log, 64);
    const read: [string, number, number, number][] = [];
    for (let each = reader.nextIntervalHistogram(); each !== null; each = reader.nextIntervalHistogram()) {
      read.push([each.tag, each.totalCount, each.startTimeStampMsec, each.endTimeStampMsec - each.startTimeStampMsec]);
    }
    const first = Date.parse("2026-01-02T03:00:05.250Z");
    expect(read).toEqual([
      ["off.1.response.ok", 2, first, 10_000],
      ["on.1.response.ok", 1, first, 10_000],
      ["on.2.response.ok", 2, first + 60_000, 10_000],
      ["off.2.response.ok", 1, first + 60_000, 10_000],
    ]);
    expect(log).toContain("#[Histogram log format version 1.3]\n#[StartTime: 1767322805.250 (seconds since epoch)");
  });

  it("renderHlog() of a hostile result has four fields and one tag in each line", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const lines = renderHlog([
          { name: text, result: hostileResult(text) },
          { name: "b", result: TWO },
        ]).split("\n");
        const rows = lines.filter((line) => line.startsWith("Tag="));
        expect(rows.length).toBeGreaterThan(4);
        for (const row of rows) expect(row).toMatch(/^Tag=[^,\s]+,\d+\.\d{3},\d+\.\d{3},\d+\.\d{3},[A-Za-z0-9+/]+=*$/u);
        expect(lines.filter((line) => !/^(?:Tag=|#|"|$)/u.test(line))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
