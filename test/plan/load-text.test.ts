import { describe, expect, it } from "vitest";
import { parseBurst, parseSine, parseStages } from "../../src/plan/load-text.ts";

const STAGES = "must list stages as in 10s@500,20s@500..2000";
const SINE = "must be a wave as in 500..1500,period=60s";
const BURST = "must be as in bursty,peak=5,share=0.1,burst=500ms";
const DURATION = "must be a duration with a unit such as 250ms, 10s or 2m";
const RATE = "must be a positive rate such as 2000, 2000/s or 120/m";

describe("parseStages", () => {
  it("parseStages() takes holds, ramps, pulses and pauses", () => {
    expect(parseStages("10s@500,20s@500..2000, 5s@8_000,1m30s@0,250ms@120/m..0.5,1s@0/s")).toEqual([
      { seconds: 10, fromRps: 500, toRps: 500 },
      { seconds: 20, fromRps: 500, toRps: 2_000 },
      { seconds: 5, fromRps: 8_000, toRps: 8_000 },
      { seconds: 90, fromRps: 0, toRps: 0 },
      { seconds: 0.25, fromRps: 2, toRps: 0.5 },
      { seconds: 1, fromRps: 0, toRps: 0 },
    ]);
  });

  it.each([
    ["", `${STAGES}; stage 1 must have a length and a rate or two: current value is ""`],
    ["10s", `${STAGES}; stage 1 must have a length and a rate or two: current value is "10s"`],
    ["10s@5,", `${STAGES}; stage 2 must have a length and a rate or two: current value is ""`],
    ["10s@5..", `${STAGES}; stage 1 must have a length and a rate or two: current value is "10s@5.."`],
    ["10s@1..2..3", `${STAGES}; stage 1 must have a length and a rate or two: current value is "10s@1..2..3"`],
    ["10s@1@2", `${STAGES}; stage 1 must have a length and a rate or two: current value is "10s@1@2"`],
    ["1s@5,10@5", `${STAGES}; stage 2 ${DURATION}: current value is "10"`],
    ["0s@5", `${STAGES}; stage 1 must be longer than 0s: current value is "0s@5"`],
    ["1s@-5", `${STAGES}; stage 1 ${RATE}: current value is "-5"`],
    ["1s@5..x", `${STAGES}; stage 1 ${RATE}: current value is "x"`],
  ])("parseStages(%j) is refused with the rule and the value", (text, message) => {
    expect(() => parseStages(text)).toThrow(new RangeError(message));
  });
});

describe("parseSine", () => {
  it("parseSine() takes two rates and a period", () => {
    expect(parseSine("500..1500,period=60s")).toEqual({ lowRps: 500, highRps: 1_500, periodSeconds: 60 });
    expect(parseSine("0..99.9, period=1m30s")).toEqual({ lowRps: 0, highRps: 99.9, periodSeconds: 90 });
  });

  it.each([
    ["500", `${SINE}: current value is "500"`],
    ["500..1500", `${SINE}: current value is "500..1500"`],
    ["500..1500,60s", `${SINE}: current value is "500..1500,60s"`],
    ["x..1500,period=60s", `${SINE}; the lower rate ${RATE}: current value is "x"`],
    ["0..0,period=60s", `${SINE}; the higher rate ${RATE}: current value is "0"`],
    ["5..1500,period=60", `${SINE}; the period ${DURATION}: current value is "60"`],
    ["5..1500,period=0s", `${SINE}, with a period longer than 0s: current value is "5..1500,period=0s"`],
    ["5..5,period=1s", `${SINE}, from the lower rate to the higher one: current value is "5..5,period=1s"`],
  ])("parseSine(%j) is refused with the rule and the value", (text, message) => {
    expect(() => parseSine(text)).toThrow(new RangeError(message));
  });
});

describe("parseBurst", () => {
  it("parseBurst() has a default for each option, a share that suits the peak among them", () => {
    expect(parseBurst({})).toEqual({ peak: 5, share: 0.1, burstSeconds: 0.5 });
    expect(parseBurst({ peak: "20" })).toEqual({ peak: 20, share: 0.05, burstSeconds: 0.5 });
    expect(parseBurst({ peak: "2.5", share: "0.4", burst: "1m" })).toEqual({ peak: 2.5, share: 0.4, burstSeconds: 60 });
  });

  it.each<[Record<string, string>, string]>([
    [{ height: "2" }, `${BURST}, without other options: current value is "height"`],
    [{ peak: "1e3" }, `${BURST}; 'peak' must be a number such as 5 or 0.1: current value is "1e3"`],
    [{ peak: "1" }, `${BURST}, with a peak above 1: current value is "1"`],
    [{ share: "half" }, `${BURST}; 'share' must be a number such as 5 or 0.1: current value is "half"`],
    [{ share: "0.3" }, `${BURST}, with a share above 0 and at most 1 / peak, here 0.2: current value is "0.3"`],
    [{ share: "0" }, `${BURST}, with a share above 0 and at most 1 / peak, here 0.2: current value is "0"`],
    [{ burst: "5" }, `${BURST}; 'burst' ${DURATION}: current value is "5"`],
  ])("parseBurst(%j) is refused with the rule and the value", (options, message) => {
    expect(() => parseBurst(options)).toThrow(new RangeError(message));
  });
});
