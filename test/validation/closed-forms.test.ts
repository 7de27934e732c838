import { describe, expect, it } from "vitest";
import * as forms from "./closed-forms.ts";

describe("sent in steady overload", () => {
  it("tends to K c, counted, and to the root of K lambda c, not counted, as the window grows", () => {
    const client = { offered: 20, accepted: 2, k: 2, window: 1e6 };
    expect(forms.sentCounted(client)).toBeCloseTo(4, 4);
    expect(forms.sentUncounted(client)).toBeCloseTo(Math.sqrt(80), 4);
  });

  it("is all that is offered where K c is more than that", () => {
    const client = { offered: 3, accepted: 2, k: 2, window: 10 };
    expect(forms.sentCounted(client)).toBe(3);
    expect(forms.sentUncounted(client)).toBe(3);
  });
});

describe("goodput", () => {
  it.each([
    [1, 10, 0.95],
    [1.25, 10, 0.995],
    [1 + 1e-9, 10, 0.95],
  ])("at load %d of a server with room for %d jobs is %d of its capacity", (rho, burst, share) => {
    expect(forms.sharpness(rho, burst)).toBeCloseTo(share, 2);
  });

  it("without throttle falls from the capacity to nothing at C / r, in a line", () => {
    expect([1, 2.5, 4, 5].map((load) => forms.goodputUnthrottled(load, 0.25))).toEqual([1, 0.5, 0, 0]);
  });

  it("with a throttle is what the line says of K times that goodput", () => {
    const goodput = forms.goodputThrottled(2, 0.3);
    expect(forms.goodputUnthrottled(2 * goodput, 0.3)).toBeCloseTo(goodput, 12);
  });
});

describe("an outage", () => {
  it("is noticed after W (1 - 1 / K), by a tenth of the calls after W (1 - 0.9 / K)", () => {
    expect(forms.onsetSeconds(2, 120, 0)).toBe(60);
    expect(forms.onsetSeconds(2, 120, 0.1)).toBeCloseTo(66, 9);
    const onsets = (
      [
        [2, 0.2],
        [2, 1 / 3],
        [1.5, 0.2],
        [3, 0.2],
      ] as const
    ).map(([k, a]) => forms.droppedOnsetSeconds(k, 120, 0.1, a));
    expect(onsets.map((seconds) => Number(seconds.toFixed(6)))).toEqual([82.5, 99, 60, 105]);
    expect(forms.droppedOnsetSeconds(2, 120, 0.1, 0.5)).toBe(Number.POSITIVE_INFINITY);
    expect(forms.partialOnsetSeconds(5, 2, 120)).toBeCloseTo(75, 9);
  });

  it("leaves a probe per window and client, or the root of lambda / W", () => {
    expect(forms.probesCounted(1e6, 120)).toBeCloseTo(1 / 120, 6);
    expect(forms.probesUncounted(1e6, 100)).toBeCloseTo(100, 1);
  });

  it("has accepts that go on growing without a break at the end of the first window", () => {
    expect(forms.growthExponent(2)).toBeCloseTo(1.594, 3);
    expect(forms.acceptsAfterOutage(120.0001, 2, 120)).toBeCloseTo(forms.acceptsAfterOutage(119.9999, 2, 120), 4);
  });

  it.each([
    [10, 514],
    [50, 635],
  ])("is over for the mean client of %d calls/s after %d s, with K = 2 and W = 120 s", (offered, seconds) => {
    expect(forms.meanRecoverySeconds(offered, 2, 120)).toBeCloseTo(seconds, -0.5);
  });

  it("is over within seconds where local rejects are not counted: 2 s with W = 10 s, 9 s with W = 120 s", () => {
    expect(forms.uncountedRecoverySeconds(10, 2, 10)).toBeCloseTo(2, 0);
    expect(forms.uncountedRecoverySeconds(10, 2, 120)).toBeCloseTo(9, 0);
  });

  it("is over for 95 % of a population much later, as a client's accepts are gamma distributed", () => {
    expect(forms.populationRecoverySeconds(0.95, 10, 2, 120)).toBeGreaterThan(
      1.5 * forms.meanRecoverySeconds(10, 2, 120),
    );
    expect(forms.populationRecoverySeconds(0.5, 10, 2, 120)).toBeLessThan(forms.meanRecoverySeconds(10, 2, 120));
  });
});

describe("retries per call", () => {
  it("add up to what was sent of what failed", () => {
    expect(forms.freeRetries(0.5, 4)).toBe(0.875);
    expect(forms.freeRetries(1, 4)).toBe(3);
    const retries = forms.retriesPerSuccess(0.3, 0.1);
    expect(retries).toBeCloseTo(0.1 * 0.7 * (1 + retries), 12);
    expect(forms.retriesOfShare(0.1)).toBeCloseTo(1 / 9, 12);
  });

  it("of gRPC are free below tokenRatio / (1 + tokenRatio) and none above", () => {
    expect(forms.retriesOfGrpc(0.02, 4) / forms.freeRetries(0.02, 4)).toBeGreaterThan(0.97);
    expect(forms.retriesOfGrpc(0.3, 4)).toBeLessThan(0.001);
  });

  it("in an outage are at most those of all attempts, and at most what is allowed", () => {
    expect(forms.outageRetries(100, 4, () => 4)).toBeCloseTo(0.04, 6);
    expect(forms.outageRetries(6, 3, () => 100)).toBeCloseTo(2, 6);
  });
});
