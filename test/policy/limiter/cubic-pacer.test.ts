import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { CubicPacer } from "../../../src/policy/limiter/cubic-pacer.ts";

const answered = (status: number): CallRecord => {
  const call = new CallRecord();
  call.status = status;
  return call;
};
const OK = answered(200);
const THROTTLED = answered(429);

/** A pacer that measured this rate, a power of two so that its half-second buckets come out even. */
function measuring(ratePerSecond: number, seconds = 20): { pacer: CubicPacer; now: number } {
  const pacer = new CubicPacer(0);
  const step = 1 / ratePerSecond;
  let now = 0;
  for (let n = 0; n < ratePerSecond * seconds; n++) {
    now += step;
    pacer.settle(OK, "accepted", now);
  }
  return { pacer, now };
}

// Worked out by hand from the sources.
describe("CubicPacer", () => {
  it("lets everything pass until an answer was throttled, and measures from the start", () => {
    const pacer = new CubicPacer(0);
    for (let n = 0; n < 100; n++) expect(pacer.acquire(0)).toBe(0);
    expect([pacer.fillRate, pacer.isEnabled]).toEqual([1, false]);
  });

  it("follows its rule, step by step", () => {
    const pacer = new CubicPacer(0);
    pacer.settle(OK, "accepted", 0.25); // measured 0: fill 0.5; 0.25 tokens at the old rate of 1
    expect(pacer.fillRate).toBe(0.5);
    pacer.settle(OK, "accepted", 0.5); // measured 0.8 x 4 = 3.2; 0.4 x 0.5^3 = 0.05: fill 0.5; 0.375 tokens
    expect(pacer.fillRate).toBe(0.5);
    pacer.settle(OK, "accepted", 2); // measured 0.8 x 1 / 1.5 + 0.64; 0.4 x 8 = 3.2: fill 2 x measured; 1 token, as capacity was 1
    expect(pacer.fillRate).toBeCloseTo(2 * (0.8 / 1.5 + 0.64), 12);
    pacer.settle(THROTTLED, "overloaded", 2.25); // wMax = measured, fill 0.7 of it; 1 + 0.25 x 2.3466... tokens, cut to 1
    const wMax = 0.8 / 1.5 + 0.2 * 3.2;
    expect(pacer.fillRate).toBeCloseTo(0.7 * wMax, 12);
    expect(pacer.acquire(2.25)).toBe(0);
    expect(pacer.acquire(2.25)).toBeCloseTo(1 / (0.7 * wMax), 12);
    pacer.settle(OK, "accepted", 2.25); // 0.4 x (0 - k)^3 + wMax = 0.7 wMax
    expect(pacer.fillRate).toBeCloseTo(0.7 * wMax, 12);
  });

  it("regains wMax k = cbrt(wMax (1 - beta) / scaleConstant) seconds after it was throttled: 4.58 s for 128 per second", () => {
    const { pacer, now } = measuring(128);
    pacer.settle(THROTTLED, "overloaded", now);
    expect(pacer.fillRate).toBeCloseTo(0.7 * 128, 9);
    const k = 4.578857;
    const rates: number[] = [];
    for (let n = 1; n <= 128 * 6; n++) {
      pacer.settle(OK, "accepted", now + n / 128);
      rates.push(pacer.fillRate);
    }
    const at = (seconds: number) => rates[Math.round(seconds * 128) - 1] as number;
    expect(at(k)).toBeCloseTo(128, 1);
    expect(at(k / 2)).toBeCloseTo(128 - 0.4 * (k / 2) ** 3, 0);
    expect(at(k + 1)).toBeCloseTo(128.4, 1);
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
  });

  it("is at the minimum after at most 15 of 20 throttled answers of one round trip, and has forgotten what it sent (V14)", () => {
    const { pacer, now } = measuring(128);
    const rates = Array.from({ length: 20 }, () => {
      pacer.settle(THROTTLED, "overloaded", now);
      return pacer.fillRate;
    });
    expect(rates.slice(0, 3)).toEqual(
      [128 * 0.7, 128 * 0.7 * 0.7, 128 * 0.7 * 0.7 * 0.7].map((x) => expect.closeTo(x, 9)),
    );
    expect(rates.indexOf(0.5)).toBe(15); // the 16th of 128 per second; of 100 it is the 15th: 100 x 0.7^15 = 0.47
    expect(rates.at(-1)).toBe(0.5);
    pacer.settle(OK, "accepted", now + 2);
    expect(pacer.fillRate).toBeLessThan(2);
  });

  it("is bounded by twice the measured rate, however long ago it was throttled", () => {
    const { pacer, now } = measuring(8);
    pacer.settle(THROTTLED, "overloaded", now);
    for (let n = 1; n <= 8 * 60; n++) pacer.settle(OK, "accepted", now + n / 8);
    expect(pacer.fillRate).toBeCloseTo(16, 9);
  });

  it("takes 429, and 503 unless told otherwise, for throttled, and a time-out for a passing fault", () => {
    const timeout = new CallRecord();
    timeout.fault = "timeout";
    const enables = (call: CallRecord, options = {}) => {
      const pacer = new CubicPacer(0, options);
      pacer.settle(call, "overloaded", 1);
      return pacer.isEnabled;
    };
    expect([429, 503, 500, 200].map((status) => enables(answered(status)))).toEqual([true, true, false, false]);
    expect([429, 503].map((status) => enables(answered(status), { throttlingOn503: 0 }))).toEqual([true, false]);
    expect(enables(timeout)).toBe(false);
  });

  it("admits one attempt for each token when asked again after the wait it told", () => {
    const { pacer, now } = measuring(8);
    for (let n = 0; n < 20; n++) pacer.settle(THROTTLED, "overloaded", now);
    let at = now;
    while (pacer.acquire(at) === 0);
    const sent: number[] = [];
    while (sent.length < 10) {
      const wait = pacer.acquire(at);
      if (wait === 0) sent.push(at - now);
      else at += wait;
    }
    expect(sent).toEqual(Array.from({ length: 10 }, (_, n) => expect.closeTo((n + 1) * 2, 9)));
  });

  it("fills no further than its capacity over idle days, and slows to the minimum with the first answer after them", () => {
    const { pacer, now } = measuring(8);
    pacer.settle(THROTTLED, "overloaded", now);
    const later = now + 3 * 86_400;
    let passed = 0;
    while (pacer.acquire(later) === 0) passed += 1;
    expect(passed).toBe(5); // capacity 0.7 x 8
    pacer.settle(OK, "accepted", later);
    expect(pacer.fillRate).toBeCloseTo(2 * 0.2 * 8, 2);
  });
});
